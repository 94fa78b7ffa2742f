/** The suffixes of deployments' names that mean an environment. */
const environmentWords = [
  'dev',
  'devel',
  'development',
  'int',
  'integration',
  'test',
  'testing',
  'qa',
  'uat',
  'demo',
  'sandbox',
  'stg',
  'stage',
  'staging',
  'canary',
  'pre[-_. ]?prod',
  'pre[-_. ]?production',
  'prd',
  'prod',
  'production',
  'live',
]

const suffix = new RegExp(`^(.*?[^-_. ])[-_. ]+(?:${environmentWords.join('|')})$`, 'is')

/** How much of a name's end is searched: no suffix is longer. */
const maxSuffixLength = 40

/** A name without the suffix for its environment, such as "-staging". A name that is only a suffix stays. */
export function nameStem(name: string): string {
  const at = Math.max(0, name.length - maxSuffixLength)
  const rest = suffix.exec(name.slice(at))?.[1]
  return rest === undefined ? name : name.slice(0, at) + rest
}
