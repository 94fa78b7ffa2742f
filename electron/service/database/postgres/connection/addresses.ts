import { Client } from 'pg'
import { Refusal } from '../../../base/refusal'

/** One server of a connection string. */
export interface Address {
  /** A connection string for this server alone. It may contain a password: never show it. */
  connectionString: string
  /** Its host and port, or its socket's folder, for people. */
  label: string
}

/**
 * Reads a connection string. As with PostgreSQL's own clients, it may name several servers, separated by commas: a
 * primary and its standbys.
 *
 * @throws {Refusal} if it is invalid. The message doesn't show it, because it may contain a password
 */
export function readAddresses(text: string): Address[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s.exec(text)
  if (parts === null) throw notReadable()
  const [, start = '', servers = '', rest = ''] = parts
  return servers.split(',').map((server) => addressOf(start + server + rest))
}

function addressOf(connectionString: string): Address {
  try {
    const { host, port } = new Client({ connectionString })
    return { connectionString, label: host.startsWith('/') ? host : `${host}:${port}` }
  } catch (error) {
    // The file of a certificate can't be read. Other messages may show the connection string.
    const { code, path } = error as { code?: string; path?: string }
    throw path === undefined ? notReadable() : new Refusal(`--database: cannot read ${path} (${code}).`)
  }
}

function notReadable(): Refusal {
  return new Refusal(
    '--database must be like postgres://USER@HOST:PORT/DATABASE, with further servers after commas.',
    'arguments',
  )
}
