import { run } from './processes.mjs'

/**
 * Runs npm: the one that runs this script if there is one, otherwise the one on the PATH.
 *
 * @param {readonly string[]} args
 * @param {{ cwd?: string, timeLimit?: number }} [options] `timeLimit` in milliseconds
 */
export function npm(args, options = {}) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('npm-cli.js')) return run(process.execPath, [cli, ...args], options)
  return run('npm', args, { ...options, shell: process.platform === 'win32' })
}

/**
 * Whether npm's output shows that the network is missing or blocks npm.
 *
 * @param {string} output
 * @returns {boolean}
 */
export function isNetworkFailure(output) {
  return /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\b/.test(
    output,
  )
}
