import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../../../../electron/main/log/log'
import { LogFile, logFileNames } from '../../../../../electron/main/log/log-file'
import { createRedactor } from '../../../../../electron/main/log/secrets/redaction'
import { temporaryFolder } from '../../../../support/temporary-folder'

let folder: string

beforeEach(() => {
  folder = temporaryFolder()
})

const read = (name = 'slipway.log') => readFile(join(folder, 'logs', name), 'utf8')

const makeLog = (file = new LogFile()) => {
  const redactor = createRedactor()
  return { redactor, log: createLog(redactor, file, () => new Date(0)) }
}

describe('the log', () => {
  it('writes lines from before and after it was opened, without secrets', async () => {
    const { log, redactor } = makeLog()
    await redactor.learn('the-secret')
    log.info('app', 'before the-secret')
    log.open(join(folder, 'logs'), 'info')
    log.warn('http', 'GET /v2', { ms: 3, status: undefined, code: 'time out', token: 'unseen' })
    await log.flush()
    expect(await read()).toBe(
      '1970-01-01T00:00:00.000Z INFO  app       before •••\n' +
        '1970-01-01T00:00:00.000Z WARN  http      GET /v2 ms=3 code="time out" token=•••\n',
    )
  })

  it('writes nothing below its level', async () => {
    const { log } = makeLog()
    log.open(join(folder, 'logs'), 'warn')
    log.info('app', 'no')
    log.error('app', 'yes')
    await log.flush()
    expect(await read()).toMatch(/^[^\n]* ERROR app {7}yes\n$/)
  })

  it('keeps a text from looking like another line', async () => {
    const { log } = makeLog()
    log.open(join(folder, 'logs'), 'info')
    log.info('app', 'one\r\n1970 ERROR two\u202e\u0007\u2028three')
    await log.flush()
    expect((await read()).split('\n').slice(1)).toEqual([
      '    1970 ERROR two\\u{202e}\\u{7}',
      '    three',
      '',
    ])
  })

  it('rotates a full file and keeps a limited number', async () => {
    const { log } = makeLog(new LogFile(200))
    log.open(join(folder, 'logs'), 'info')
    for (let index = 0; index < 20; index += 1) {
      log.info('app', `line ${index} ${'-'.repeat(100)}`)
      await log.flush()
    }
    expect((await readdir(join(folder, 'logs'))).sort()).toEqual([...logFileNames].sort())
    expect(await read()).toContain('line 19 ')
    expect(await read('slipway.1.log')).toContain('line 18 ')
    expect(await read('slipway.4.log')).toContain('line 15 ')
  })

  it('neither throws nor waits if nothing can be written, and later reports what is missing', async () => {
    const { log } = makeLog()
    await writeFile(join(folder, 'logs'), 'a file where the folder should be')
    log.open(join(folder, 'logs'), 'info')
    log.info('app', 'lost')
    await log.flush()
    log.flushNow()
    await rm(join(folder, 'logs'))
    log.info('app', 'kept')
    await log.flush()
    expect(await read()).toMatch(/^\(1 lines couldn't be written\)\n.* kept\n$/)
  })

  it('writes the rest synchronously at the end', async () => {
    const { log } = makeLog()
    log.open(join(folder, 'logs'), 'info')
    await log.flush()
    log.info('app', 'last words')
    log.flushNow()
    expect(await read()).toContain('last words')
  })

  it('drops lines in a flood instead of filling the memory', async () => {
    const { log } = makeLog()
    for (let index = 0; index < 3_000; index += 1) log.info('app', '-'.repeat(1_000))
    log.open(join(folder, 'logs'), 'info')
    await log.flush()
    const files = await readdir(join(folder, 'logs'))
    const texts = await Promise.all(files.map((name) => read(name)))
    expect(texts.join('')).toMatch(/\((?:9|1\d)\d\d lines couldn't be written\)/)
  })
})
