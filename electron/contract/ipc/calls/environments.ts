import { z } from 'zod'
import {
  environmentInputSchema,
  identifierSchema,
  type Environment,
  type ConnectionCheck,
  type KeychainState,
} from '../../app/environment'
import {
  environmentsToSaveSchema,
  type OpenedEnvironments,
  type SavedEnvironments,
} from '../../app/environment-file'
import { gives } from './gives'
import type { AuthorityFile } from '../../core/network'

/** Input and output of the calls about environments. */
export const environmentCalls = {
  /** Adds or changes an environment. Failures: `invalid-input`, `not-found`, the keychain's. */
  'environments.save': { input: environmentInputSchema, output: gives<Environment>() },
  /**
   * Forgets an environment, its keychain entry and its session's data. `confirmedName` is the environment's name as
   * typed: without it, one that is protected, or whose profile can't be read, fails with `confirmation-needed`.
   */
  'environments.remove': {
    input: z.strictObject({ id: identifierSchema, confirmedName: z.string().max(100).nullable() }),
    output: gives<null>(),
  },
  /**
   * Makes an environment the current one and cancels calls of the one before. Failures: `not-found`; `internal` if
   * the next start won't know of it.
   */
  'environments.select': { input: z.strictObject({ id: identifierSchema }), output: gives<null>() },
  /**
   * Puts the environments that the operator added into this order; those that aren't named come after them. The
   * built-in ones stay first. Failure: `internal` if the next start won't know of it.
   */
  'environments.reorder': {
    input: z.strictObject({ ids: z.array(identifierSchema).max(1_000) }),
    output: gives<null>(),
  },
  /**
   * Lets the operator choose a file with environments, and reads it; null if they chose none. Nothing is added.
   * Failures: `invalid-input`, `internal`.
   */
  'environments.openFile': { input: z.strictObject({}), output: gives<OpenedEnvironments | null>() },
  /**
   * Lets the operator choose where to save environments without secrets, and saves them. Failures: `not-found`,
   * `disk-full`, `internal`.
   */
  'environments.saveFile': { input: environmentsToSaveSchema, output: gives<SavedEnvironments>() },
  /** Requests one deployment from the service of an environment that isn't saved yet, in a temporary session. */
  'environments.check': { input: environmentInputSchema, output: gives<ConnectionCheck>() },
  /** Asks the keychain again, after it was locked, missing or unresponsive. */
  'environments.retryKeychain': { input: z.strictObject({}), output: gives<KeychainState>() },
  /**
   * Makes an environment trust exactly the certificate that its service showed and that was refused
   * (`RefusedCertificate.id`). The main process asks the operator in a system dialog, because the stored headers will
   * be sent to that certificate's owner. Failures: `cancelled` if the operator said no; `not-found` if the refusal is
   * no longer known; those of saving.
   */
  'environments.trust': {
    input: z.strictObject({ id: identifierSchema, refusalId: z.string().max(100) }),
    output: gives<Environment>(),
  },
  /** Reads and checks the certificate of a private authority. Failure: `invalid-input`, which says what is wrong. */
  'environments.readAuthority': {
    input: z.strictObject({ pem: z.string().max(1_000_000) }),
    output: gives<AuthorityFile>(),
  },
  /** Lets the operator choose the file of such a certificate. Null if they chose none. */
  'environments.chooseAuthority': { input: z.strictObject({}), output: gives<AuthorityFile | null>() },
}
