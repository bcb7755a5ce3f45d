const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a text such as `30s`, `10m` or `2h`; `undefined`: it is none. */
export const readDuration = (text: string): number | undefined => {
  const [, digits, unit] = /^([1-9]\d{0,8})([smh])$/.exec(text) ?? []
  return digits === undefined ? undefined : Number(digits) * (units[unit as string] as number)
}
