/** An error of several lines. A line break in the message of another error comes from what it quotes. */
export abstract class LinesError extends Error {
  readonly lines: readonly string[]
  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join('\n'), options)
    this.lines = lines
  }
}
