import {
  type Answers,
  type Environment,
  type EnvironmentView,
  fail,
  failure,
  type OpenedEnvironments,
  type Outcome,
  succeed,
} from '@contract'
import { largestEnvironmentFile, type SharedEnvironment, sharedEnvironmentSchema } from '../environments/file'
import { readFileAs } from '../processes/answers'
import { readAuthorities, describeAll } from '../http/certificates'
import type { FileDialogs } from '../window/file-dialogs'
import { readChosen, saveChosen } from '../window/chosen-files'

/**
 * Saves environments to a file without secrets, and reads such a file. Reading adds nothing and asks no service: the
 * operator reviews each environment and saves it. The operator chooses the file each time.
 *
 * @param list the environments as the window shows them, which is without secrets
 */
export function createEnvironmentFiles(
  { askWhich, askWhere }: FileDialogs,
  list: () => readonly Environment[],
): Pick<Answers<'environments'>, 'environments.openFile' | 'environments.saveFile'> {
  return {
    /** Failures: `invalid-input` if the file has no valid environments, `internal` if it can't be read. */
    async 'environments.openFile'() {
      const path = await askWhich('environments')
      const read = await readChosen(path, largestEnvironmentFile, { kind: 'a list of environments', advice })
      if (!read.ok) return read
      if (read.value === null) return succeed(null)
      const { fileName, bytes } = read.value
      const environments = await readEnvironments(fileName, bytes)
      return environments.ok ? succeed({ fileName, environments: environments.value }) : environments
    },

    /**
     * Saves the environments with these identifiers, in their order. It leaves out those whose profile can't be read or
     * isn't valid in a file. Failures: `not-found` if none can be saved, `invalid-input` if the file couldn't be imported
     * for its size, `disk-full`, `internal`.
     */
    async 'environments.saveFile'({ ids }) {
      const wanted = list().filter(({ id, storage }) => storage !== 'built-in' && ids.includes(id))
      const { text, written, leftOut } = writeEnvironments(wanted)
      if (written === 0) return fail(nothingToSave)
      if (Buffer.byteLength(text) > largestEnvironmentFile) return fail(tooMuchToSave)
      const path = await askWhere('environments', 'slipway-environments.json')
      const saved = await saveChosen(path, text, 'The environments')
      return saved.ok ? succeed({ path, written, leftOut }) : saved
    },
  }
}

const advice = 'Choose a file that was exported by Slipway.'

const nothingToSave = failure(
  'not-found',
  "None of these environments can be exported: they can't be read.",
  {
    advice: 'Open the keychain, or enter them again.',
  },
)

const tooMuchToSave = failure(
  'invalid-input',
  `These environments take more than ${largestEnvironmentFile / 1_000_000} MB, which couldn't be imported again.`,
  { advice: 'Export fewer of them at once.' },
)

/** The text of a file with environments; the names of those that can't be in one. */
export function writeEnvironments(environments: readonly Environment[]): {
  text: string
  written: number
  leftOut: string[]
} {
  const shared: SharedEnvironment[] = []
  const leftOut: string[] = []
  for (const { name, profile } of environments) {
    const parsed = sharedEnvironmentSchema.safeParse(profile && sharedOf(name, profile))
    if (parsed.success) shared.push(parsed.data)
    else leftOut.push(name)
  }
  const file = { format: 'slipway-environments', version: 1, environments: shared }
  return { text: `${JSON.stringify(file, null, 2)}\n`, written: shared.length, leftOut }
}

/** The part of a profile that goes into a file. */
const sharedOf = (name: string, { headerNames, trust, proxy, ...rest }: EnvironmentView): unknown => ({
  name,
  ...rest,
  headers: headerNames,
  trust: sharedTrust(trust),
  proxy: sharedProxy(proxy),
})

/** Only the certificate of an authority's file: nothing else in its text was meant to be shared. */
function sharedTrust(trust: EnvironmentView['trust']): SharedEnvironment['trust'] | null {
  if (trust.kind !== 'authority') return { kind: 'system' }
  const authorities = readAuthorities(Buffer.from(trust.pem))
  return authorities.ok ? { kind: 'authority', pem: authorities.pem } : null
}

/** Without user name and password. The query of a PAC address may be a secret, so such an address stays out. */
function sharedProxy(proxy: EnvironmentView['proxy']): SharedEnvironment['proxy'] {
  if (proxy.mode === 'manual') return { mode: proxy.mode, host: proxy.host, port: proxy.port }
  if (proxy.mode === 'pac-url' && /[?#]/.test(proxy.url)) return { mode: 'system' }
  return proxy
}

/** At most this many errors of a file are shown, each with at most so many characters. */
const shownErrors = { count: 5, length: 300 } as const

/** The environments of a file. Failure: `invalid-input`, which says where the file is wrong. */
export async function readEnvironments(
  fileName: string,
  bytes: Uint8Array,
): Promise<Outcome<OpenedEnvironments['environments']>> {
  const read = await readFileAs({ kind: 'environment-file' }, bytes)
  if (!read) return fail(failure('invalid-input', `${fileName} isn't valid JSON.`, { advice }))
  if (read.state === 'read') return succeed(read.environments.map(openedOf))
  const issues = read.issues
    .slice(0, shownErrors.count)
    .map(({ path, message }) => ({ path, message: message.slice(0, shownErrors.length) }))
  return fail(failure('invalid-input', `${fileName} isn't a list of environments.`, { advice, issues }))
}

function openedOf({
  name,
  headers,
  trust,
  proxy,
  ...rest
}: SharedEnvironment): OpenedEnvironments['environments'][number] {
  return {
    name,
    profile: {
      ...rest,
      headerNames: headers,
      trust: trust.kind === 'authority' ? { ...trust, certificates: describeAll(trust.pem) } : trust,
      proxy: proxy.mode === 'manual' ? { ...proxy, userName: null } : proxy,
    },
  }
}
