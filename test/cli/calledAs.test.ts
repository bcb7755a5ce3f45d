import { expect, it } from 'vitest'
import { calledAs } from '../../src/cli/serve.ts'

const script = '/srv/catalog/bin/catalog.js'

it.each([
  [
    'by npm, in the project',
    { env: { npm_lifecycle_event: 'start', npm_package_name: 'metadata-catalog' } },
    'npm run --silent catalog --',
  ],
  [
    'by a script of another project',
    { env: { npm_lifecycle_event: 'x', npm_package_name: 'y' } },
    'node bin/catalog.js',
  ],
  ['by npx', { env: { npm_command: 'exec', npm_lifecycle_event: 'npx' } }, 'npx catalog'],
  ['installed', { script: '/usr/bin/catalog' }, 'catalog'],
  ['by node', {}, 'node bin/catalog.js'],
  ['in a container', { container: 'c0ffee', script: '/usr/local/bin/catalog' }, 'docker exec c0ffee catalog'],
  [
    'in a pod',
    { container: 'catalog-0', env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } },
    'kubectl exec catalog-0 -- catalog',
  ],
])('who started it %s is told how to call it there', (_, how, wanted) => {
  expect(calledAs({ env: {}, script, folder: '/srv/catalog', container: undefined, ...how })).toBe(wanted)
})
