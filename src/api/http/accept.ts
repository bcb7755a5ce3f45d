import Negotiator from 'negotiator'
import { limits } from '../../shared/limits.ts'
import { badHeader } from './problemDetails.ts'

/** Names that YAML had before it was registered: who asks for one of them is served as well. */
const formerNames: Readonly<Record<string, readonly string[]>> = {
  'application/yaml': ['application/x-yaml', 'text/yaml', 'text/x-yaml'],
}

/** Parameters of media types, which no answer has to offer, but not their weight. */
const parameters = /;\s*(?!q\s*=)[^,;]*/gi

/** Makes the check whether an `Accept` header admits one of these media types; one without any range admits all. */
export const makeAcceptCheck = (mediaTypes: readonly string[]): ((header: string | undefined) => boolean) => {
  const served = mediaTypes.flatMap((type) => [type, ...(formerNames[type] ?? [])])
  return (header) => {
    if (header === undefined || header === '*/*' || served.length === 0 || served.includes(header)) return true
    if (header.length > limits.accept.value) throw badHeader('accept', `may have at most ${limits.accept.value} bytes.`)
    const negotiator = new Negotiator({ headers: { accept: header.replace(parameters, '') } })
    return negotiator.mediaTypes(served).length > 0 || !header.includes('/')
  }
}
