/**
 * The benchmarks. Each row compares a figure with a floor that is measured in the same run. Prints a table, and
 * writes the figures as JSON if a file is given. Always ends with status 0.
 */
import { writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { parseArgs } from 'node:util'
import { printStatus } from '../../electron/launcher/base.mjs'
import { benchApplication } from './window/application'
import { benchBuiltInService, benchServiceOnPostgres } from './services/built-in-service'
import { benchForm } from './window/form'
import { benchIdle } from './window/idle'
import { startHelper, startPageService } from './processes'

import { missingRow, table, type Row } from './rows'

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    json: { type: 'string' },
    only: { type: 'string', default: 'cache,board,comparison,application,idle,form,service,postgres' },
  },
})
const size = Number(values.size)
const parts = values.only.split(',')

const rows: Row[] = []
const began = Date.now()
const send = (row: Row): void => {
  rows.push(row)
  printStatus(`${row.what}: ${row.measured} (${Math.round((Date.now() - began) / 1000)} s)`)
}

/** Runs a part. What can't be measured becomes a row that says so. */
async function part(name: string, work: () => Promise<void>): Promise<void> {
  if (!parts.includes(name)) return
  try {
    await work()
  } catch (error) {
    send(missingRow(name, error))
  }
}

/** Runs a program in Electron's own Node that sends its rows. */
async function inElectron(program: string): Promise<void> {
  const helper = startHelper(program, [String(size)], process.env.ELECTRON_EXEC_PATH)
  await new Promise<void>((resolve, reject) => {
    helper.process.on('message', (row) => send(row as Row))
    helper.process.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`ended with status ${code}`)),
    )
  })
}

await part('cache', () => inElectron('cache'))
await part('board', () => inElectron('board'))
await part('comparison', () => inElectron('comparison'))
await part('application', async () => {
  const service = await startPageService(size)
  try {
    await benchApplication(service, size, send)
  } finally {
    service.close()
  }
})
await part('idle', async () => {
  const service = await startPageService(size)
  try {
    await benchIdle(service, size, send)
  } finally {
    service.close()
  }
})
await part('form', () => benchForm(send))
await part('service', () => benchBuiltInService(send))
await part('postgres', () => benchServiceOnPostgres(send))

const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${process.platform} ${release()}`
console.log(`\n${machine}, ${size.toLocaleString('en-GB')} deployments\n`)
console.log(table(rows))
if (values.json) writeFileSync(values.json, JSON.stringify({ machine, size, rows }, null, 2))
