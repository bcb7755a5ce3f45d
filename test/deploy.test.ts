import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { readConfig, unknownVariables } from '../src/composition/settings/config.ts'

const deploy = join(import.meta.dirname, '../deploy')
const chart = join(deploy, 'helm/metadata-catalog')
const read = (path: string): Promise<string> => readFile(join(deploy, path), 'utf8')

const helm = process.env['CATALOG_TEST_HELM'] ?? 'helm'
const helmed = spawnSync(helm, ['version', '--short']).status === 0
if (!helmed) console.warn('skipped: rendering the Helm chart, since there is no helm; CATALOG_TEST_HELM can name it')

interface Manifest {
  readonly kind: string
  readonly spec: {
    readonly replicas?: number
    readonly template?: {
      readonly spec: {
        readonly enableServiceLinks: boolean
        readonly terminationGracePeriodSeconds: number
        readonly volumes: readonly object[]
        readonly containers: readonly {
          readonly image: string
          readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
          readonly volumeMounts: readonly object[]
          readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[]
          readonly livenessProbe: { readonly httpGet: { readonly path: string } }
          readonly securityContext: object
        }[]
      }
    }
    readonly volumeClaimTemplates?: readonly { readonly spec: object }[]
  }
}

const render = async (...settings: string[]): Promise<Manifest[]> => {
  const set = settings.flatMap((setting) => [/=[{[]/.test(setting) ? '--set-json' : '--set', setting])
  const args = ['template', 'here', chart, '--kube-version', '1.30.0', ...set]
  const { stdout } = await promisify(execFile)(helm, args)
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
}

const podOf = async (...settings: string[]) => {
  const set = (await render(...settings)).find(({ kind }) => kind === 'StatefulSet')
  return set?.spec.template?.spec ?? expect.fail('the chart makes no pod')
}

const pair = [
  'eventStoreUrl=esdb://stores',
  'mongodbUrl=mongodb://stores',
  'existingSecret=keys',
  'auditKeySecret=audit',
]

describe('the Helm chart', () => {
  test.skipIf(!helmed)('makes an account and a monitor where they are wanted', async () => {
    const manifests = await render('serviceAccount.create=true', 'serviceMonitor.enabled=true')
    expect(manifests.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Service', 'StatefulSet', 'ServiceMonitor'])
    expect(manifests[2]?.spec.template?.spec).toMatchObject({ serviceAccountName: 'here-metadata-catalog' })
    const secured = await render('serviceMonitor.enabled=true', 'servingTlsSecret=tls')
    const tlsConfig = { insecureSkipVerify: true }
    expect(secured[2]?.spec).toMatchObject({ endpoints: [{ scheme: 'https', tlsConfig }] })
  })

  test('has the version of the package, and values that can be read', async () => {
    const { version } = JSON.parse(await read('../package.json')) as { version: string }
    const described = parse(await read('helm/metadata-catalog/Chart.yaml')) as { version: string; appVersion: string }
    expect([described.version, described.appVersion]).toEqual([version, version])
    expect(parse(await read('helm/metadata-catalog/values.yaml'))).toMatchObject({ replicas: 1, existingSecret: '' })
  })

  test('uses values that there are, and sets variables that the catalog knows', async () => {
    const values = parse(await read('helm/metadata-catalog/values.yaml')) as Record<string, unknown>
    const folder = join(chart, 'templates')
    const templates = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))
    const used = templates.flatMap((text) =>
      [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path]) => path as string),
    )
    const at = (path: string): unknown =>
      path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], values)
    expect(used.filter((path) => at(path) === undefined)).toEqual([])
    const names = templates.flatMap((text) =>
      [...text.matchAll(/name: (CATALOG_\w+)/g)].map(([, name]) => name as string),
    )
    expect(names.length).toBeGreaterThan(2)
    expect(unknownVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
  })

  test.skipIf(!helmed)('is clean, and makes one pod with a volume', async () => {
    await promisify(execFile)(helm, ['lint', '--strict', chart])
    const [service, set, ...others] = await render()
    expect([service?.kind, set?.kind, others]).toEqual(['Service', 'StatefulSet', []])
    const [container] = set?.spec.template?.spec.containers ?? []
    expect(container?.livenessProbe.httpGet.path).toBe('/livez')
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true })
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
    expect(readConfig(env)).toMatchObject({ eventStoreUrl: undefined, mongodbUrl: undefined })
  })

  test.skipIf(!helmed)('makes several pods only on stores and keys that all of them share', async () => {
    await expect(render('replicas=2', ...pair.slice(0, 2))).rejects.toThrow(/existingSecret/)
    await expect(render('replicas=2', ...pair.slice(0, 3))).rejects.toThrow(/auditKeySecret/)
    const manifests = await render('replicas=2', ...pair, 'ingress.enabled=true', 'env.CATALOG_LOG_LEVEL=warn')
    const set = manifests.find(({ kind }) => kind === 'StatefulSet')
    const [container] = set?.spec.template?.spec.containers ?? []
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]))
    expect(readConfig(env)).toMatchObject({
      eventStoreUrl: 'esdb://stores',
      auditKeyFile: '/keys/audit.key',
      logLevel: 'warn',
    })
    expect([set?.spec.replicas, manifests.map(({ kind }) => kind)]).toEqual([
      2,
      ['PodDisruptionBudget', 'Service', 'StatefulSet', 'Ingress'],
    ])
  })

  test.skipIf(!helmed)('takes addresses of stores from the Secret, and numbers as they were written', async () => {
    const size = 'env={"CATALOG_EVENTSTORE_MAX_APPEND_BYTES":15728640}'
    const [, , set] = await render('replicas=2', ...pair.slice(2), size)
    const from = (key: string) => ({ name: key, valueFrom: { secretKeyRef: { name: 'keys', key } } })
    expect(set?.spec.template?.spec.containers[0]?.env).toEqual(
      expect.arrayContaining([
        from('CATALOG_EVENTSTORE_URL'),
        from('CATALOG_MONGODB_URL'),
        { name: 'CATALOG_EVENTSTORE_MAX_APPEND_BYTES', value: '15728640' },
      ]),
    )
    expect((await podOf('image={"tag":20261130}')).containers[0]?.image).toBe('metadata-catalog:20261130')
  })

  test.skipIf(!helmed)('sets each variable once, and refuses those of env that other values set', async () => {
    const { containers } = await podOf(
      'ingress.enabled=true',
      'env={"CATALOG_TRUST_PROXY":2,"CATALOG_BASE_URL":"https://c"}',
    )
    expect(containers[0]?.env).toEqual([
      { name: 'CATALOG_PORT', value: '8585' },
      { name: 'CATALOG_BASE_URL', value: 'https://c' },
      { name: 'CATALOG_TRUST_PROXY', value: '2' },
    ])
    await expect(render('env={"CATALOG_PORT":80}')).rejects.toThrow('env has CATALOG_PORT, which the chart sets itself')
    const policies = 'env={"CATALOG_POLICIES_FILE":"/mine.yaml"}'
    await expect(render('policiesConfigMap=mine', policies)).rejects.toThrow('env has CATALOG_POLICIES_FILE')
  })

  test.skipIf(!helmed)('mounts further volumes, and takes a volume that is there', async () => {
    const [volume, mount] = [
      { name: 'ca', configMap: { name: 'stores' } },
      { name: 'ca', mountPath: '/ca' },
    ]
    const given = [`extraVolumes=${JSON.stringify([volume])}`, `extraVolumeMounts=${JSON.stringify([mount])}`]
    const { volumes, containers } = await podOf(...given)
    expect([volumes.at(-1), containers[0]?.volumeMounts.at(-1)]).toEqual([volume, mount])
    const [, set] = await render('persistence.storageClass=-')
    expect(set?.spec.volumeClaimTemplates?.[0]?.spec).toMatchObject({ storageClassName: '' })
  })

  test.skipIf(!helmed)(
    'goes on with requests until proxies know that the pod ends, and then has its 40 seconds',
    async () => {
      const { enableServiceLinks, terminationGracePeriodSeconds, containers } = await podOf()
      const [, seconds] = containers[0]?.lifecycle.preStop.exec.command ?? []
      expect(Number(seconds)).toBeGreaterThanOrEqual(5)
      expect(terminationGracePeriodSeconds - Number(seconds)).toBe(40)
      expect(enableServiceLinks).toBe(false)
    },
  )
})

test('a cluster in Compose gives the catalog its 40 seconds to end', async () => {
  const { services } = parse(await read('cluster/docker-compose.yml'), { merge: true }) as {
    services: Record<string, { stop_grace_period?: string }>
  }
  expect([services['catalog1'], services['catalog2']]).toEqual(
    Array(2).fill(expect.objectContaining({ stop_grace_period: '40s' })),
  )
})

const systemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!systemd) console.warn('skipped: verifying the unit of systemd, since there is no systemd-analyze')

test.skipIf(!systemd)('systemd finds nothing wrong with its unit', async () => {
  const unit = join(deploy, 'systemd/metadata-catalog.service')
  const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', unit])
  expect(stdout + stderr).toBe('')
})

describe('the action for GitHub', () => {
  const text = z.string().min(1)
  const step = z.strictObject({
    id: text.optional(),
    if: text.optional(),
    shell: z.literal('bash'),
    env: z.record(text, text).optional(),
    run: text,
  })
  const composite = z.strictObject({
    name: text,
    description: text,
    inputs: z.record(
      text,
      z.strictObject({ description: text, required: z.boolean(), default: z.string().optional() }),
    ),
    outputs: z.record(text, z.strictObject({ description: text, value: text })),
    runs: z.strictObject({ using: z.literal('composite'), steps: z.array(step).min(1) }),
  })

  test('is a composite action whose scripts name nothing of a pull request themselves', async () => {
    const action = composite.parse(parse(await read('github-action/action.yml')))
    for (const { run } of action.runs.steps) expect(run).not.toContain('${{')
    const used = [...JSON.stringify(action).matchAll(/inputs\.([a-z-]+)/g)].map(([, name]) => name)
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(action.inputs).toSorted())
  })

  test('passes what it was given to the command, and fails with it', async () => {
    const action = composite.parse(parse(await read('github-action/action.yml')))
    const [check, , last] = action.runs.steps
    const folder = await mkdtemp(join(tmpdir(), 'action-'))
    const env = {
      ...process.env,
      RUNNER_TEMP: folder,
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      CONTRACT_FILE: 'a file.yaml',
      CONTRACT_AGAINST: 'https://catalog/x',
      CONTRACT_OBJECT: 'orders',
      CONTRACT_COMMAND: 'false',
    }
    const run = promisify(execFile)
    const { stdout } = await run('bash', ['-e', '-c', check?.run ?? ''], { env: { ...env, CONTRACT_COMMAND: 'echo' } })
    // What the command prints between the two lines are no commands of the runner.
    const [stop, printed, goOn] = stdout.trim().split('\n')
    expect(printed).toBe(
      `contract check --markdown ${folder}/contract.md --junit ${folder}/contract.xml --against https://catalog/x --object orders -- a file.yaml`,
    )
    expect(stop).toMatch(/^::stop-commands::[0-9a-f]{32}$/)
    expect(goOn).toBe(stop?.replace('stop-commands::', '').concat('::'))
    await run('bash', ['-e', '-c', check?.run ?? ''], { env })
    expect(await readFile(env.GITHUB_OUTPUT, 'utf8')).toMatch(/code=0\n[^]*code=1\n$/)
    await expect(run('bash', ['-e', '-c', last?.run ?? ''], { env: { ...env, CODE: '1' } })).rejects.toThrow()
  })

  test('keeps one comment for each document, and a token that may not comment is only a warning', async () => {
    const action = composite.parse(parse(await read('github-action/action.yml')))
    const folder = await mkdtemp(join(tmpdir(), 'action-'))
    const calls = join(folder, 'calls')
    const gh = `#!/bin/sh\necho "$@" >> '${calls}'\nif [ "$1" = pr ]; then echo "$FOUND"; else exit "$REFUSED"; fi\n`
    await writeFile(join(folder, 'gh'), gh, { mode: 0o755 })
    await writeFile(join(folder, 'report.md'), 'All is well.\n')
    const comment = async (file: string, found: string, refused = '0'): Promise<string> => {
      const given = { CONTRACT_FILE: file, REPORT: join(folder, 'report.md'), PULL_REQUEST: '7', REPOSITORY: 'a/b' }
      const fake = { FOUND: found, REFUSED: refused, RUNNER_TEMP: folder, PATH: `${folder}:${process.env['PATH']}` }
      const env = { ...process.env, ...given, ...fake }
      await writeFile(calls, '')
      const { stdout } = await promisify(execFile)('bash', ['-e', '-c', action.runs.steps[1]?.run ?? ''], { env })
      return stdout
    }
    await comment('a.yaml', '')
    const body = join(folder, 'comment.md')
    expect(await readFile(body, 'utf8')).toBe('<!-- data contract check of a.yaml -->\n\nAll is well.\n')
    expect(await readFile(calls, 'utf8')).toContain(
      `api --silent -X POST repos/a/b/issues/7/comments -F body=@${body}\n`,
    )
    await comment('b.yaml', 'https://github.com/a/b/pull/7#issuecomment-12')
    expect(await readFile(calls, 'utf8')).toContain('api --silent -X PATCH repos/a/b/issues/comments/12 ')
    await comment('a--><h1>b.yaml', '')
    expect(await readFile(body, 'utf8')).toBe('<!-- data contract check of a--<h1b.yaml -->\n\nAll is well.\n')
    expect(await comment('a.yaml', '', '1')).toMatch(/^::warning::/)
  })
})
