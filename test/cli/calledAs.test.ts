import { expect, it } from 'vitest'
import { cliInvocation } from '../../src/cli/serve.ts'

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
  ['in a container', { env: { container: 'oci' }, script: '/usr/local/bin/catalog' }, 'docker exec c0ffee catalog'],
  [
    'in a pod',
    { env: { container: 'oci', KUBERNETES_SERVICE_HOST: '10.0.0.1' }, script: '/usr/local/bin/catalog' },
    'kubectl exec c0ffee -- catalog',
  ],
  ['by node, in a container of other programs', { env: { container: 'podman' } }, 'node bin/catalog.js'],
  [
    'installed, in a shell on a machine of Kubernetes',
    { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, script: '/usr/bin/catalog' },
    'catalog',
  ],
])('who started it %s is told how to call it there', (_, how, wanted) => {
  expect(cliInvocation({ env: {}, script, folder: '/srv/catalog', host: 'c0ffee', ...how })).toBe(wanted)
})
