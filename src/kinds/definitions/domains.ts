import { defineKind, social } from './commonMembers.ts'
import { domainsField, experts, openWordField, parentField, style } from '../members/fields.ts'

const domain = defineKind({
  name: 'domain',
  path: 'domains',
  description: 'An area of an organization that is responsible for its data.',
  parents: [{ field: 'parent', kinds: ['domain'], optional: true }],
  traits: social,
  computed: { children: { from: 'children', kind: 'domain', shown: 'request' } },
  fields: {
    domainType: openWordField('What its data is for.', ['Source-aligned', 'Consumer-aligned', 'Aggregate'], {
      default: 'Aggregate',
    }),
    parent: parentField(['domain'], { required: false, description: 'The domain that it is a part of.' }),
    experts,
    style,
  },
})

const dataProduct = defineKind({
  name: 'dataProduct',
  path: 'dataProducts',
  description: 'Data assets that are offered together.',
  traits: { assets: true, ...social },
  fields: { domains: { ...domainsField, first: 'domain' }, experts, style },
})

export const domains = [domain, dataProduct]
