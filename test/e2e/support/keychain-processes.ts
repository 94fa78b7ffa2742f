import type { Slipway } from './slipway'

/** Process identifiers of the keychain processes. The cache process, which makes the calls of a start, is none of them. */
export const keychainProcesses = (slipway: Slipway): Promise<number[]> =>
  slipway.app.evaluate(({ app }) =>
    app
      .getAppMetrics()
      .filter(({ name, serviceName }) => [name, serviceName].includes('Slipway keychain'))
      .map(({ pid }) => pid),
  )
