import fc from '../../support/fastCheck.ts'
import { describe, expect, it } from 'vitest'
import { isObject, type Json } from '../../../src/shared/json.ts'
import { isHarmlessName, isPersonName, isSecretName, mask, maskText } from '../../../src/shared/secrets/shownText.ts'
import { markPlainSecrets, plainSecretOf, isSealed, maskSecrets } from '../../../src/shared/secrets/sealed.ts'
import { needle, ways } from './ways.ts'

describe('the name of a setting', () => {
  it.each(
    (
      'hostPort host Server endpointURL databaseSchema database_name catalog keyspace awsRegion projectId type sslMode ' +
      'awsAccessKeyId authType tokenEndpoint passwordFile secretArn secretName bootstrapServers trackingUri account ' +
      'partitionKey warehouse sslmode connectionTimeout includes indices timezone openAPISchemaURL siteName'
    ).split(' '),
  )('%s is known to be harmless', (name) => expect([isHarmlessName(name), isSecretName(name)]).toEqual([true, false]))

  it.each(['user', 'username', 'User Name', 'userId', 'clientEmail', 'principal', 'uid'])('%s names somebody', (name) =>
    expect([isPersonName(name), isHarmlessName(name), isSecretName(name)]).toEqual([true, false, false]),
  )

  it.each(
    (
      'password pwd pw pass apikeys masterKey bearer basicAuth privateKeys otp hmac kerberosKeytab sasToken X-Api-Key ' +
      'clientsecret accountKey secretId pin signature dsn'
    ).split(' '),
  )('%s speaks of a secret', (name) => expect([isHarmlessName(name), isSecretName(name)]).toEqual([false, true]))

  it.each(['', '***', 'sesame', 'value', 'header', 'data', 'private', 'certificate'])('%s is not known', (name) =>
    expect([isHarmlessName(name), isPersonName(name)]).toEqual([false, false]),
  )
})

describe('what is shown of a text', () => {
  it.each([
    ['hostPort', 'db.internal:5432'],
    ['hosts', 'one:9092,two:9092'],
    ['hostPort', 'https://bi.example'],
    ['url', 'jdbc:postgresql://db:5432/x?sslmode=require&currentSchema=a'],
    ['url', 'jdbc:sqlserver://db:1433;databaseName=x;encrypt=true'],
    ['jdbcUrl', 'jdbc:oracle:thin:@db:1521/x'],
    ['server', 'tcp:db.example,1433'],
    ['driver', '{ODBC Driver 17 for SQL Server}'],
    ['roleArn', 'arn:aws:iam::123456789012:role/Reader'],
    ['driverClass', 'com.microsoft.sqlserver.jdbc.SQLServerDriver'],
    ['projectId', '7d444840-9dc0-11d1-b245-5ffdce74fad2'],
    ['awsAccessKeyId', 'AKIAEXAMPLE'],
    ['username', 'ann@example.com'],
    ['path', '/data/Ünï/x.csv'],
    ['includes', '^sales_.*$'],
  ])('%s: %s is all of it', (name, text) => expect(maskText(name, text)).toBe(text))

  it.each([
    [
      'postgres://ann:pw@db:5432/x?sslmode=require&token=abc',
      `postgres://${mask}@db:5432/x?sslmode=require&token=${mask}`,
    ],
    ['https://blob.example/x?sig=abc#frag=1', `https://blob.example/x?sig=${mask}#${mask}`],
    [
      'jdbc:sqlserver://db:1433;databaseName=x;user=a;password=b',
      `jdbc:sqlserver://db:1433;databaseName=x;user=${mask};password=${mask}`,
    ],
    [
      'Driver={ODBC};Server=db;Uid=a;Pwd={p;w};Encrypt=yes',
      `Driver={ODBC};Server=db;Uid=${mask};Pwd=${mask};Encrypt=yes`,
    ],
    ['https://hooks.example/T0/B0/aB3dE5fG7hI9jK1lM3nO5pQ7', `https://hooks.example/T0/B0/${mask}`],
  ])('%s is what is harmless of it', (text, shown) => expect(maskText('url', text)).toBe(shown))
})

describe('what an older event has in the clear', () => {
  it.each(Object.entries(ways))('is marked where it is %s', (_, config) => {
    const marked = markPlainSecrets({ config })
    expect(JSON.stringify(maskSecrets(marked))).not.toContain(needle)
    expect(JSON.stringify(marked)).not.toContain(needle)
    expect(markPlainSecrets(marked)).toEqual(marked)
  })

  it('is marked where the name of a member is the secret', () => {
    const marked = markPlainSecrets({ hosts: { [`postgres://ann:${needle}@db`]: true } }) as { hosts: never }
    expect(maskSecrets(marked)).toEqual({ hosts: mask })
    expect(isSealed(marked.hosts) && plainSecretOf(marked.hosts)).toEqual({ [`postgres://ann:${needle}@db`]: true })
  })

  it('is not lost: everything can be read from what is marked', () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (any) => {
        const value = JSON.parse(JSON.stringify(any)) as Json
        const back = (marked: Json): Json => {
          if (Array.isArray(marked)) return marked.map(back)
          if (!isObject(marked)) return marked
          if (isSealed(marked)) return plainSecretOf(marked) as Json
          return Object.fromEntries(Object.entries(marked).map(([name, member]) => [name, back(member)]))
        }
        expect(back(markPlainSecrets(value))).toEqual(value)
      }),
    ))
})
