import fc from '../../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { problemOf } from '../../../../src/api/http/problemDetails.ts'
import { maxDepth, FailedItem, parseItems, parseJson } from '../../../../src/api/http/jsonText.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

const codeOf = (error: unknown): string => problemOf(error).problem.code

const refusal = (text: string | Buffer): { message: string; problems: { path: string; message: string }[] } => {
  try {
    parseJson(Buffer.from(text as string))
  } catch (error) {
    expect(codeOf(error)).toBe('BAD_REQUEST')
    return error as never
  }
  throw new Error('the text was accepted')
}

describe('parseJson', () => {
  it('gives what was written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, noUnicodeString: false }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u'))
        fc.pre(!JSON.stringify(value).includes('__proto__'))
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('reads UTF-8, escapes and a byte order mark', () => {
    const text = '\uFEFF{"é":"\\u00e9 \\ud83d\\ude00 😀 \\u005f \\\\u0000"}'
    expect(parse(text)).toEqual({ é: 'é 😀 😀 _ \\u0000' })
  })

  it.each([
    ['{"a": x}', "JSON: Unexpected token 'x'."],
    ['{"a": 1,\n "b" 2}', "Expected ':' after property name in JSON at position 14 (line 2 column 6)."],
    ['{\r\n"a": 1,\r\n}', 'Expected double-quoted property name in JSON at position 12 (line 3 column 1).'],
    ['[1 2]', "Expected ',' or ']' after array element in JSON at position 3 (line 1 column 4)."],
    ['[1,]', "Unexpected token ']'."],
    ['{"a":', 'Unexpected end of JSON input.'],
    ['', 'Unexpected end of JSON input.'],
    ['{} {}', 'Unexpected non-whitespace character after JSON at position 3 (line 1 column 4).'],
    ['"a\nb"', 'Bad control character in string literal in JSON at position 2 (line 1 column 3).'],
    ['[1.]', '(line 1 column 4)'],
    ['[NaN]', "Unexpected token 'N'."],
    ['[😀]', "Unexpected token '\ufffd'."],
    ['undefined', 'The body is not valid JSON.'],
    ["{'a': 1}", '(line 1 column 2)'],
    ['// x\n1', "Unexpected token '/'."],
    ['{"password":hunter2}', "JSON: Unexpected token 'h'."],
    ['{"user":"somebody","password":\nhunter2,"more":true}', "JSON: Unexpected token 'h'."],
  ])('says what is wrong with %j, and quotes no more than a character', (text, message) => {
    expect(refusal(text).message).toContain(message)
  })

  it('says shortly what is wrong with whatever JSON.parse refuses, and quotes nothing of it', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom('', ',', '}', '"', ':', 'x', '1', '\\', '\n'),
        (value, at, sign) => {
          const text = JSON.stringify(value)
          const broken = text.slice(0, at % (text.length + 1)) + sign + text.slice((at % (text.length + 1)) + 1)
          let valid = true
          try {
            JSON.parse(broken)
          } catch {
            valid = false
          }
          fc.pre(!valid)
          expect(refusal(broken).message).toMatch(/^The body is not valid JSON(: [^"]{1,120})?\.$/s)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('refuses deep nesting whatever its depth', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(() => parse(nested(maxDepth))).not.toThrow()
    expect(refusal(nested(maxDepth + 1)).message).toMatch(/more than 100 levels/)
    expect(refusal(nested(10_000)).message).toMatch(/more than 100 levels/)
    expect(refusal('{"a":'.repeat(200_000)).message).toMatch(/more than 100 levels/)
    expect(() => parse(JSON.stringify('['.repeat(1000)))).not.toThrow()
    expect(() => parse(JSON.stringify(`\\"${'['.repeat(1000)}`))).not.toThrow()
    expect(() => parse(`[${'[],'.repeat(1000)}1]`)).not.toThrow()
  })

  it.each([
    ['brackets that do not match', `[${'[},'.repeat(100_000)}`, "token '}'"],
    ['a string that is not closed', `["\n${'['.repeat(100_000)}`, '(line 1 column 3)'],
  ])('says that there are %s, whatever nests behind them', (_, text, reason) => {
    expect(refusal(text).message).toContain(reason)
  })

  it.each([
    ['{"a":[{"__proto__":1}]}', '/a/0/__proto__', 'this name is reserved'],
    ['{"\\u005f_proto__":1}', '/__proto__', 'this name is reserved'],
    ['{"__pr\\u006Ft\\u006f__":{}}', '/__proto__', 'this name is reserved'],
    ['{"a":"x\\u0000"}', '/a', 'must have no NUL and no lone surrogate in it'],
    ['{"a/~\\u0000":1}', '/a~1~0\uFFFD', 'this name is reserved'],
    ['["\\ud800"]', '/0', 'must have no NUL and no lone surrogate in it'],
    ['["\\uDC00\\uD800"]', '/0', 'must have no NUL and no lone surrogate in it'],
    ['{"\\ud83d":1}', '/\uFFFD', 'this name is reserved'],
    ['{"a":[1e400]}', '/a/0', 'is too large a number'],
    ['[-1.5E+309]', '/0', 'is too large a number'],
    [`[${'9'.repeat(310)}]`, '/0', 'is too large a number'],
  ])('refuses %s', (text, path, message) => {
    expect(refusal(text).problems).toEqual([{ path, message }])
  })

  it('lets large and small numbers stand that a number keeps', () => {
    expect(parse(`[1.7e308, 1E+300, 5e-324, 123456789012345680000, true, false]`)).toEqual([
      1.7e308,
      1e300,
      5e-324,
      123456789012345680000,
      true,
      false,
    ])
  })

  it('refuses numbers so close to 0 that they would become 0', () => {
    const small = `0.${'0'.repeat(250)}1e-99`
    const text = `{"a":1e-400,"b":[-1.5E-0324,${small}],"c":"1e-400","d":0e-400,"e":0.0000000000000000000,"f":5e-324,"g":",1e-400,"}`
    const message = 'has more digits than a JSON number keeps, or is too close to 0: send fewer, or a string'
    expect(refusal(text).problems).toEqual(['/a', '/b/0', '/b/1'].map((path) => ({ path, message })))
  })

  it('refuses numbers whose digits a double does not keep, whoever looks for flaws', () => {
    const text =
      '{"a/":[1,{"b":9007199254740993}],"c": -12345678901234567890 ,"d":9007199254740991,"e":"9007199254740993",' +
      '"f":",9007199254740993,","g":1.2345678901234567890,"h":12345678901234567e3,"i":[100000000000000000000000]}'
    const message = 'has more digits than a JSON number keeps, or is too close to 0: send fewer, or a string'
    const problems = ['/a~1/1/b', '/c', '/g'].map((path) => ({ path, message }))
    expect(refusal(text).problems).toEqual(problems)
    expect(() => parseJson(Buffer.from(text), 'keep')).toThrow(`/a~1/1/b: ${message}`)
    expect(parseJson(Buffer.from(text), 'mend')).toHaveProperty('c', -12345678901234567000)
  })

  it('lets the words stand as values', () => {
    expect(parse('{"name":"__proto__","b":"\\u005f\\ud83d\\ude00"}')).toEqual({ name: '__proto__', b: '_😀' })
    expect(parse('{"constructor":{"prototype":1},"toString":2}')).toEqual({
      constructor: { prototype: 1 },
      toString: 2,
    })
  })

  it('names many problems at once, but not without bound', () => {
    expect(refusal('["\\u0000",{"b":"\\u0000"}]').problems.map((problem) => problem.path)).toEqual(['/0', '/1/b'])
    expect(refusal(JSON.stringify(Array(5_000).fill('\0'))).problems).toHaveLength(100)
  })

  it.each([
    [0xff],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0xff, 0xfe, 0x22, 0],
  ])('refuses bytes that are not UTF-8 (%s …)', (...bytes) => {
    expect(refusal(Buffer.from(bytes)).message).toMatch(/UTF-8/)
  })
})

describe('a member that is given twice', () => {
  it.each([
    ['{"a":1,"a":1}', ['/a']],
    ['{"a":{"b":[{"c":1,"d":2,"c":3}]}}', ['/a/b/0/c']],
    ['{"a":1,"\\u0061":2}', ['/a']],
    ['[{},{"x":1,"y":2,"x":[],"y":{}}]', ['/1/x', '/1/y']],
    ['{"a/b":1,"~":2,"a/b":3,"~":4}', ['/a~1b', '/~0']],
    ['{"":1,"":2}', ['/']],
  ])('is refused where it stands: %s', (text, paths) => {
    expect(refusal(text).problems.map(({ path }) => path)).toEqual(paths)
    expect(refusal(text).message).toContain(`${paths[0]}: is given more than once`)
  })

  it('a name that two objects have, or that a text contains, is not a duplicate', () => {
    expect(parse('[{"a":":","b":{"a":"\\":"}},{"a":1}]')).toHaveLength(2)
  })
})

describe('parseItems', () => {
  const items = async (text: string, largest = 1000) => [...(await parseItems(Buffer.from(text), largest))]

  it('gives what parseJson gives of an array', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue({ maxDepth: 4 })),
        fc.constantFrom('', ' ', '\n'),
        async (value, space) => {
          const text = `\ufeff${space}[${space}${value.map((item) => JSON.stringify(item)).join(`${space},${space}`)}${space}]${space}`
          expect(await items(text, 100_000)).toEqual(parseJson(Buffer.from(text), 'keep'))
        },
      ),
    )
  })

  it.each(['', '{}', '[1,]', '[,1]', '[1,,2]', '[1][2]', '[1]x', 'x[1]', '[1', '[1}', '[{"a":1]', '{"a":[1]}', '["a]'])(
    'refuses %s',
    async (text) => {
      expect(codeOf(await items(text).catch((error: unknown) => error))).toBe('BAD_REQUEST')
    },
  )

  it('refuses an array that nests deeper than the stack, also where it never ends', async () => {
    for (const text of ['['.repeat(20_000), `${'['.repeat(5000)}x`])
      await expect(items(text)).rejects.toThrow('nested more than 100 levels')
  })

  it('says in which item a mistake is', async () => {
    await expect(items('[{},{"a" 1}]')).rejects.toThrow("Item 1 of the body is not valid JSON: Expected ':'")
  })

  it.each([
    ['{"name":"x","a":1,"a":2}', '/a', /more than once/],
    ['{"name":"x","a":[9007199254740993]}', '/a/0', /more digits/],
    [`{"name":"x","a":${'['.repeat(maxDepth)}${']'.repeat(maxDepth)}}`, '', /nested more than 100 levels/],
  ])('leaves out an item that JSON cannot keep, and reads the others: %s', async (item, path, message) => {
    const many = `"${'x'.repeat(2000)}"`
    for (const others of ['2', many])
      expect(await items(`[1,${item},${others}]`, 3000)).toEqual([
        1,
        expect.objectContaining({
          texts: { name: 'x' },
          error: expect.objectContaining({
            code: 'invalid',
            problems: [{ path, message: expect.stringMatching(message) }],
          }),
        }),
        JSON.parse(others),
      ])
  })

  it('keeps few of the problems of an item, and counts the others', async () => {
    const members = Array.from({ length: 50 }, (_, at) => `"m${at}":1,"m${at}":2`).join()
    const [read] = await items(`[{${members}}]`)
    expect((read as FailedItem).error).toMatchObject({ problems: { length: 10 }, unlisted: 40 })
  })

  it('leaves out an item that is too large, and reads the others', async () => {
    expect(await items(`[1,"${'x'.repeat(2000)}",3]`)).toEqual([1, expect.any(FailedItem), 3])
  })

  it('leaves out an item that is too large and no JSON, whatever nests behind its mistake', async () => {
    const broken = `{"name":"x","y":[${'[},'.repeat(100_000)}]}`
    expect(await items(`[1,${broken},3]`)).toEqual([1, expect.objectContaining({ texts: { name: 'x' } }), 3])
  })

  const long = `"long":"${'x'.repeat(2000)}"`
  it.each([
    ['first', `{"name":"a \\"b\\"",${long}}`, 'a "b"'],
    ['behind what is long', `{${long}, "columns":[{"name":"c"}], "name" : "n"}`, 'n'],
    ['only inside others', `{"columns":[{"name":"c"}],"x":"name",${long}}`, undefined],
    ['as no text', `{"name":{"name":"c"},${long}}`, undefined],
    ['with a mistake in it', `{"name":"\\q",${long}}`, undefined],
  ])('has the name of an item that is too large, which stands %s', async (_, item, name) => {
    const [read] = await items(`[${item}]`)
    expect((read as FailedItem).texts['name']).toBe(name)
  })

  it('lets others through meanwhile', async () => {
    const tags = JSON.stringify(Array.from({ length: 100 }, (_, n) => `t${n}`))
    const text = `[${Array.from({ length: 10_000 }, (_, n) => `{"name":"n${n}","tags":${tags}}`).join(',')}]`
    let turns = 0
    const timer = setInterval(() => (turns += 1), 0)
    expect(await items(text)).toHaveLength(10_000)
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })

  it('reads no further when there are more items than a bulk request may have', async () => {
    const many = (count: number) => `[${'1,'.repeat(count - 1)}1]`
    expect(await items(many(10_000))).toHaveLength(10_000)
    await expect(items(many(10_001))).rejects.toThrow('The body must have at most 10000 items.')
    await expect(items(`{${'"a":1,'.repeat(10_001)}"b":1}`)).rejects.toThrow('The body must be one JSON array.')
  })
})
