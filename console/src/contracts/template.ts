import type { Column, Entity } from '../api/types.ts'

/** A YAML scalar that is read back as this text, whatever it holds. */
const scalar = (text: string): string =>
  /^[A-Za-z_][\w.-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text)

/** A first contract for an asset: what it has today, promised. */
export const templateFor = (asset: Entity, columns: readonly Column[]): string => {
  const properties = columns.flatMap(({ name, dataType = 'STRING', constraint }) => [
    `      - name: ${scalar(name)}`,
    `        physicalType: ${scalar(dataType)}`,
    ...(constraint === 'PRIMARY_KEY' ? ['        primaryKey: true'] : []),
  ])
  return [
    'apiVersion: v3.1.0',
    'kind: DataContract',
    `id: ${crypto.randomUUID()}`,
    `name: ${scalar(`${asset.name} contract`)}`,
    'version: 1.0.0',
    'status: draft',
    'description:',
    '  purpose: What those who use this can rely on.',
    'schema:',
    `  - name: ${scalar(asset.name)}`,
    ...(properties.length > 0 ? ['    properties:', ...properties] : []),
    'slaProperties:',
    '  - property: frequency',
    '    value: 1',
    '    unit: d',
    '',
  ].join('\n')
}
