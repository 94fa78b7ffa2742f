import { parseArgs } from 'node:util'
import { type EnvironmentMode, environmentModes } from '@contract/core/mode'
import { placeOf, placeOptions, withoutPasswords } from '.'
import { Refusal } from '../base/refusal'
import { type Role, roles } from '../base/role'
import type { RepositoryImport } from '../commands/repositories'
import type { Place } from '../database/place'
import { importOf, repositoryOptions, uuidOf } from './repository-arguments'

/** A command about the keys, the audit or the repositories. It works with or without a running service. */
export type StoreCommand = { place: Place; mode: EnvironmentMode | null } & (
  | { does: 'keys add'; name: string; role: Role; tenantId: string | null; expiresAt: string | null }
  | { does: 'keys list' }
  | { does: 'keys revoke'; name: string }
  | { does: 'audit' }
  | { does: 'repositories import'; from: RepositoryImport }
)

/** A command about a file with all data of a folder. */
type FileCommand = { folder: string; file: string } & ({ does: 'backup' } | { does: 'restore' })

export type Command = StoreCommand | FileCommand

/** Names that a header, a list and a log show unchanged. */
const possibleName = /^[\w.@+-]{1,64}$/

const units = { d: 86_400_000, h: 3_600_000 } as const

/**
 * Reads a command, such as `keys add` or `backup`. Returns null if the command line starts a service.
 *
 * @throws {Refusal} with a message that says what is wrong with the arguments
 */
export function readCommand(args: string[], environment: NodeJS.ProcessEnv): Command | null {
  const [first] = args
  if (first === 'backup' || first === 'restore') return fileCommandOf(first, args)
  if (first !== 'keys' && first !== 'audit' && first !== 'repositories') return null
  const { values, positionals } = parse(args)
  if (values.to !== undefined || values.from !== undefined) {
    throw wrong('--to and --from are only for "backup" and "restore".')
  }
  const isAboutRepositories = Object.keys(repositoryOptions).some((option) => option in values)
  if (first !== 'repositories' && isAboutRepositories) {
    const options = Object.keys(repositoryOptions).map((option) => `--${option}`)
    throw wrong(`${options.join(', ')} are only for "repositories import".`)
  }
  const [, what, name, ...rest] = positionals
  const mode = environmentModes.find((known) => known === values.mode) ?? null
  if (values.mode !== undefined && mode === null) {
    throw wrong(`--mode must be ${environmentModes.join(' or ')}, not "${values.mode}".`)
  }
  if (first === 'audit') {
    if (what !== undefined) throw wrong(`"audit" takes no further words, but got "${what}".`)
    return { place: placeOf(values), mode, does: 'audit' }
  }
  if (first === 'repositories') {
    if (what !== 'import' || name === undefined || rest.length > 0) {
      throw wrong('Say "repositories import" with a FILE, a FOLDER or github:OWNER.')
    }
    const from = importOf(name, values, environment)
    return { place: placeOf(values), mode, does: 'repositories import', from }
  }
  const does = `keys ${what ?? ''}`
  if (does !== 'keys add' && does !== 'keys list' && does !== 'keys revoke') {
    throw wrong('Say "keys add NAME", "keys list" or "keys revoke NAME".')
  }
  const isDescribed = [values.role, values.tenant, values.expires].some((value) => value !== undefined)
  if (does !== 'keys add' && isDescribed) {
    throw wrong('--role, --tenant and --expires are only for "keys add".')
  }
  const common = { place: placeOf(values), mode }
  if (does === 'keys list') {
    if (name !== undefined) throw wrong(`"keys list" takes no name, but got "${name}".`)
    return { ...common, does }
  }
  if (name === undefined || rest.length > 0) throw wrong(`"${does}" needs one name: ${does} NAME.`)
  if (!possibleName.test(name)) {
    throw wrong(`The name "${name}" must have 1 to 64 letters, digits or any of . _ @ + -`)
  }
  if (does === 'keys revoke') return { ...common, does, name }
  const role = roles.find((known) => known === values.role)
  if (role === undefined) throw wrong(`"keys add" needs --role ${roles.join(' or ')}.`)
  const tenantId = uuidOf('--tenant', values.tenant)
  return { ...common, does, name, role, tenantId, expiresAt: readEnd(values.expires) }
}

function fileCommandOf(does: FileCommand['does'], args: string[]): FileCommand {
  const { values, positionals } = parse(args)
  const { data, database, to, from } = values
  if (database !== undefined) {
    throw wrong(
      `"${does}" is for a folder. PostgreSQL has its own tools: pg_dump --format=custom --schema=slipway, pg_restore.`,
    )
  }
  const [file, other, option] = does === 'backup' ? [to, from, '--to'] : [from, to, '--from']
  const further = [
    values.mode,
    values.role,
    values.tenant,
    values.expires,
    values.connections,
    values.integration,
    values['url-prefix'],
    other,
    positionals[1],
  ]
  if (!data || !file || further.some((value) => value !== undefined)) {
    throw wrong(`Say "${does} --data FOLDER ${option} FILE".`)
  }
  return { does, folder: data, file }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        ...placeOptions,
        mode: { type: 'string' },
        role: { type: 'string' },
        tenant: { type: 'string' },
        expires: { type: 'string' },
        ...repositoryOptions,
        to: { type: 'string' },
        from: { type: 'string' },
      },
    })
  } catch (error) {
    throw withoutPasswords(error)
  }
}

/** A future time (ISO 8601), from a date, a time, or a number of days or hours from now. */
function readEnd(text: string | undefined): string | null {
  if (text === undefined) return null
  const [, number, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
  const time =
    number === undefined
      ? isDate
        ? Date.parse(text)
        : NaN
      : Date.now() + Number(number) * units[unit as keyof typeof units]
  if (Number.isNaN(time)) {
    throw wrong(`--expires must be like 90d, 12h, 2027-01-31 or 2027-01-31T12:00Z, not "${text}".`)
  }
  if (time <= Date.now()) throw wrong(`--expires ${text} is over already.`)
  return new Date(time).toISOString()
}

function wrong(message: string): Refusal {
  return new Refusal(message, 'arguments')
}
