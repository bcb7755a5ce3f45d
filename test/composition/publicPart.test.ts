import { expect, test } from 'vitest'
import { publicPart } from '../../src/composition/engines.ts'

test.each([
  ['mongodb://host:27017/catalog?tls=true', 'mongodb://host:27017/catalog'],
  ['mongodb://u:secret@a,b/catalog?tls=true', 'mongodb://a,b/catalog'],
  ['mongodb://u:se@cret/pw@host/catalog', 'mongodb://host/catalog'],
  ['mongodb://u:se?cret@host/catalog', 'mongodb://…'],
  ['mongodb://host/catalog?tlsCertificateKeyFilePassword=se@cret', 'mongodb://…'],
])('of an address, nothing that may be a part of a password is shown: %s', (url, shown) =>
  expect(publicPart(url)).toBe(shown),
)
