import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'

/** How long the download server may take to answer, in milliseconds. */
const timeLimit = 4_000

const officialDownloads = 'https://github.com/electron/electron/releases/download/'

/**
 * Checks whether the server of Electron's downloads can be reached, through the environment's proxy if there is one.
 *
 * @param {string} version of Electron
 * @param {number} [limitMs] how long the check may take
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<string>} why it is out of reach, one sentence; empty if it answers
 */
export async function probe(version, limitMs = timeLimit, environment = process.env) {
  const base = new URL(environment.ELECTRON_MIRROR ?? officialDownloads)
  const proxy = environment.HTTPS_PROXY ?? environment.https_proxy
  try {
    if (proxy) return await probeThrough(new URL(proxy), base, limitMs)
    const answer = await fetch(new URL(`v${version}/SHASUMS256.txt`, base), {
      method: 'HEAD',
      signal: AbortSignal.timeout(limitMs),
    })
    return answer.ok ? '' : `${base.host} answers with status ${answer.status}.`
  } catch (error) {
    return `${base.host} is out of reach (${reasonOf(error, limitMs)}).`
  }
}

/**
 * Asks a proxy for a connection to the server. Node's fetch would bypass the proxy.
 *
 * @param {URL} proxy
 * @param {URL} base
 * @param {number} limitMs
 * @returns {Promise<string>} as probe
 */
function probeThrough(proxy, base, limitMs) {
  return new Promise((resolve, reject) => {
    const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
    const connectRequest = (proxy.protocol === 'https:' ? requestOverTls : request)({
      host: proxy.hostname,
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: `${base.hostname}:${base.port || 443}`,
      headers: proxy.username
        ? { 'Proxy-Authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
        : {},
      signal: AbortSignal.timeout(limitMs),
    })
    connectRequest.once('connect', ({ statusCode }, socket) => {
      socket.destroy()
      resolve(statusCode === 200 ? '' : `the proxy answers with status ${statusCode}.`)
    })
    connectRequest.once('response', (answer) => {
      answer.destroy()
      resolve(`the proxy answers with status ${answer.statusCode}.`)
    })
    connectRequest.once('error', reject)
    connectRequest.end()
  })
}

/**
 * @param {unknown} error of fetch, or of a request
 * @param {number} limitMs
 */
function reasonOf(error, limitMs) {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : error
  if (error.name === 'TimeoutError' || cause.name === 'TimeoutError')
    return `no answer in ${limitMs / 1_000} s`
  return 'code' in cause ? String(cause.code) : cause.message
}
