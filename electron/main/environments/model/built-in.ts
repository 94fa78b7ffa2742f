import {
  type Environment,
  type EnvironmentColour,
  type EnvironmentMode,
  type NetworkSettings,
  builtInEnvironments,
  environmentModes,
} from '@contract'
import { sampleIntegrationId } from '@contract/deployment-api/request/limits'

const colours: Record<EnvironmentMode, EnvironmentColour> = { cloud: 'blue', 'self-hosted': 'teal' }

/** A built-in service runs on this machine, so it is reached without a proxy. */
export const builtInNetwork: NetworkSettings = { trust: { kind: 'system' }, proxy: { mode: 'none' } }

/** The `service` of a built-in environment: it never leads elsewhere. */
export const builtInService = 'built-in'

/** The mode of a built-in environment; null for every other identifier. */
export function builtInMode(id: string): EnvironmentMode | null {
  return environmentModes.find((mode) => builtInEnvironments[mode].id === id) ?? null
}

/** A built-in environment as the list shows it. `remembered` are integrations that were used with it. */
export function builtInEnvironment(
  mode: EnvironmentMode,
  baseUrl: string | null,
  remembered: readonly string[],
): Environment {
  return {
    ...builtInEnvironments[mode],
    storage: 'built-in',
    service: builtInService,
    profile: {
      baseUrl,
      mode,
      colour: colours[mode],
      protected: false,
      readOnly: false,
      headerNames: [],
      integrations: [...new Set([sampleIntegrationId, ...remembered])],
      nicknames: {},
      trust: { kind: 'system' },
      proxy: { mode: 'none' },
    },
    problem: null,
  }
}
