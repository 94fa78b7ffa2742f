import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLog, describeError, logFileNames, redact } from '../../../../../electron/main/log'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string

beforeEach(() => {
  folder = join(temporaryFolder(), 'logs')
})

const read = async (name = 'slipway.log') =>
  (await readFile(join(folder, name), 'utf8')).replace(/^\d{4}-\S+Z/gm, 'TIME')

describe('the log', () => {
  it('has each line on the disk at once, also those from before it was opened, without secrets', async () => {
    const log = createLog()
    log.info('app', 'before')
    log.debug('app', 'too low')
    log.open(folder, 'info')
    log.warn('http', 'GET /v2', { ms: 3, status: undefined, code: 'time out', token: 'unseen' })
    expect(await read()).toBe(
      'TIME INFO  app       before\nTIME WARN  http      GET /v2 ms=3 code="time out" token=•••\n',
    )
  })

  it('keeps a text from looking like another line', async () => {
    const log = createLog()
    log.open(folder, 'info')
    log.info('app', 'one\r\n1970 ERROR two\u202e\u0007\u2028three')
    expect((await read()).split('\n').slice(1)).toEqual([
      '    1970 ERROR two\\u{202e}\\u{7}',
      '    three',
      '',
    ])
  })

  it('rotates a full file and keeps a limited number', async () => {
    const log = createLog(200)
    log.open(folder, 'info')
    for (let index = 0; index < 30; index += 1) log.info('app', `line ${index}`)
    expect((await readdir(folder)).sort()).toEqual([...logFileNames].sort())
    expect(await read()).toContain('line 29')
  })

  it.each([
    ['Authorization: Bearer abc.def', 'Authorization: •••'],
    ['sent with bearer abcdef', 'sent with bearer •••'],
    ['https://user:pa55@host/path?limit=1 failed', 'https://•••@host/path?••• failed'],
    ['x -----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----', 'x •••'],
    ['api_key = "abc"', 'api_key = •••'],
    ['/home/me/.config/slipway', '~/.config/slipway'],
  ])('redacts %s', (text, expected) => {
    expect(redact(text, '/home/me')).toBe(expected)
  })

  it('never quotes what a library quotes in an error', () => {
    const error = new SyntaxError('Unexpected token in JSON: "the-secret" and \'another\'')
    expect(describeError(error)).toMatch(/^SyntaxError: Unexpected token in JSON: ••• and •••\n/)
  })
})
