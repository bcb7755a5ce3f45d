import type { JsonObject } from '../shared/json.ts'

/** `order_line` → `order line`. */
export const spoken = (name: string): string => name.replaceAll('_', ' ')

/** `order line` → `Order line`. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `order_line` → `Order line`. */
export const titled = (name: string): string => capitalised(spoken(name))

/** `order_line` → `OrderLine`. */
export const pascal = (name: string): string => name.split('_').map(capitalised).join('')

interface Shape {
  readonly dataType: string
  readonly dataLength?: number
  readonly precision?: number
  readonly scale?: number
  readonly arrayDataType?: string
}

interface Rule {
  readonly pattern: RegExp
  readonly shape: Shape
  /** What such a column means. `what`: the column's name without the ending, in words; `noun`: the table's. */
  readonly says: (what: string, noun: string) => string
  readonly tags?: readonly string[]
}

const text = (dataLength: number): Shape => ({ dataType: 'VARCHAR', dataLength })
const number = (precision: number, scale: number): Shape => ({ dataType: 'DECIMAL', precision, scale })

const personal = ['PII.Sensitive']

/** The first rule that fits gives a column its type, its meaning and its tags. */
const rules: readonly Rule[] = [
  {
    pattern: /^(first|last|recipient)_name$/,
    shape: text(120),
    says: (what) => `${capitalised(what)} name of the person`,
    tags: personal,
  },
  {
    pattern: /^(contact_|work_)?email$/,
    shape: text(320),
    says: (_, noun) => `E-mail address of the ${noun}`,
    tags: personal,
  },
  { pattern: /^phone_number$/, shape: text(32), says: () => 'Phone number in E.164 form', tags: personal },
  { pattern: /^birth_date$/, shape: { dataType: 'DATE' }, says: () => 'Date of birth', tags: personal },
  {
    pattern: /^(street_line|postal_code)$/,
    shape: text(160),
    says: (_, noun) => `Part of the postal address of the ${noun}`,
    tags: ['PII.NonSensitive'],
  },
  { pattern: /^ip_address$/, shape: text(45), says: () => 'IP address, version 4 or 6', tags: personal },
  { pattern: /^iban$/, shape: text(34), says: () => 'International bank account number', tags: personal },
  {
    pattern: /^card_token$/,
    shape: text(64),
    says: () => 'Token that stands for the card at the provider',
    tags: ['Compliance.PCI'],
  },
  {
    pattern: /^country_code$/,
    shape: { dataType: 'CHAR', dataLength: 2 },
    says: (_, noun) => `Country of the ${noun}, ISO 3166-1 alpha-2`,
  },
  {
    pattern: /currency_code$/,
    shape: { dataType: 'CHAR', dataLength: 3 },
    says: () => 'Currency of the amounts, ISO 4217',
  },
  { pattern: /^language_code$/, shape: text(8), says: () => 'Language, BCP 47' },
  { pattern: /^(latitude|longitude)$/, shape: number(9, 6), says: () => 'Coordinate in degrees, WGS 84' },
  {
    pattern: /^event_payload$/,
    shape: { dataType: 'JSON' },
    says: (_, noun) => `Further details of the ${noun}, as the source sent them`,
  },
  {
    pattern: /^feature_vector$/,
    shape: { dataType: 'ARRAY', arrayDataType: 'DOUBLE' },
    says: () => 'All features as one vector, in the order of the feature list',
  },
  { pattern: /_id$/, shape: { dataType: 'BIGINT' }, says: (what, noun) => `The ${what} that this ${noun} belongs to` },
  { pattern: /_key$/, shape: text(64), says: (what) => `Key of the ${what}` },
  { pattern: /(_at)$/, shape: { dataType: 'TIMESTAMPZ' }, says: (what, noun) => `When the ${noun} was ${what}, UTC` },
  {
    pattern: /(_on|_date)$|^(valid_from|valid_until|tier_valid_until|delete_on)$/,
    shape: { dataType: 'DATE' },
    says: (what, noun) => `Day of the ${noun}: ${what}`,
  },
  {
    pattern: /^is_|_consent$|^passed$/,
    shape: { dataType: 'BOOLEAN' },
    says: (what, noun) => `Whether the ${noun} is ${what.replace(/^is /, '')}`,
  },
  {
    pattern: /(_rate|_share|_score|_elasticity|_zscore|uplift|return_on_spend)$/,
    shape: number(9, 6),
    says: (what, noun) => `${capitalised(what)} of the ${noun}, as a fraction`,
  },
  {
    pattern: /(amount|_price|_cost|_value|_fee|basket|_bound)$/,
    shape: number(14, 2),
    says: (what, noun) => `${capitalised(what)} of the ${noun}, in its currency`,
  },
  {
    pattern:
      /(_count|quantity|_number_of|_points|_minutes|_seconds|_days|_hours|_level|position|_rank|_year|_month|_pallets|_pixels|_grams|_order|headcount|_delta|_hits|_balance|_impressions|week_number|month_number|line_number|_packed|star_rating|_90d|_30d|_km|_kg)$/,
    shape: { dataType: 'INT' },
    says: (what, noun) => `${capitalised(what)} of the ${noun}`,
  },
  {
    pattern: /(_status|_type|_class|_tier|_method|_reason|_grade)$/,
    shape: text(32),
    says: (what, noun) => `${capitalised(what)} of the ${noun}, from the list of known values`,
  },
  {
    pattern: /(_code|_number|_reference)$/,
    shape: text(40),
    says: (what, noun) => `${capitalised(what)} of the ${noun}`,
  },
  { pattern: /_url$|_path$/, shape: text(1024), says: (what) => `Where the ${what} is found` },
  {
    pattern: /_text$|_rule$/,
    shape: { dataType: 'TEXT' },
    says: (what, noun) => `${capitalised(what)} of the ${noun}, free text`,
  },
]

const other: Rule = { pattern: /(?:)/, shape: text(255), says: (what, noun) => `${capitalised(what)} of the ${noun}` }

const ending = /_(id|key|at|on|date|rate|score|name|code|number|amount|status|type|class|text|url|path)$/

/** The type, meaning and tags of a column, told by its name alone. `name` and `table` are in snake case. */
export const columnOf = (name: string, table: string): JsonObject => {
  const rule = rules.find(({ pattern }) => pattern.test(name)) ?? other
  const keepsEnding = /(rate|score|amount|status|type|class|text|code|number)$/.test(name)
  const what = spoken(keepsEnding ? name : name.replace(ending, ''))
  return {
    name,
    displayName: titled(name),
    description: `${rule.says(what, spoken(table))}.`,
    ...rule.shape,
    dataTypeDisplay: displayOf(rule.shape),
    ...(rule.tags !== undefined && { tags: [...rule.tags] }),
  }
}

const displayOf = ({ dataType, dataLength, precision, scale, arrayDataType }: Shape): string => {
  if (arrayDataType !== undefined) return `array<${arrayDataType.toLowerCase()}>`
  if (precision !== undefined) return `${dataType.toLowerCase()}(${precision},${scale})`
  return dataLength === undefined ? dataType.toLowerCase() : `${dataType.toLowerCase()}(${dataLength})`
}
