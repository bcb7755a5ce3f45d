import type { Attack } from './requests.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const token = (role: string): string[] => {
  if (role === 'nobody') return []
  if (role === 'forged') return ['-H', quoted('Authorization: Bearer a.b.c')]
  return ['-H', `"Authorization: Bearer $(npm run --silent catalog -- token --user attacker --role ${role})"`]
}

/** Longest body that stands in the command itself; longer ones come of the seed and the number alone. */
const longest = 20_000

/** A command that sends the request again, to be pasted into a terminal. @param url of the service */
export const curlOf = (
  { method, target, headers, body, role, manner, number }: Attack,
  url: string,
  seed: string,
): string => {
  const parts = [
    'curl',
    '-sS',
    '-i',
    '-X',
    method,
    ...token(role),
    ...headers.flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    '--path-as-is',
    quoted(`${url}${target}`),
  ]
  const note = `# request ${number} of seed ${seed}${manner === 'plain' ? '' : `, sent ${manner}`}`
  if (body === undefined) return `${note}\n${parts.join(' ')}`
  if (body.length > longest)
    return `${note}, with a body of ${body.length} bytes\n${parts.join(' ')} --data-binary @BODY`
  return `${note}\nprintf %s ${body.toString('base64')} | base64 -d | ${parts.join(' ')} --data-binary @-`
}
