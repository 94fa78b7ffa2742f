import { describe, expect, it } from 'vitest'
import { summarise } from '@contract'
import { listedDeploymentSchema } from '../../../../../electron/contract/deployment-api/deployment'
import { formatWriter } from '../../../../../electron/main/export/formats'
import { answered } from '../../../../support/cached-deployments'

const named = (index: number, name: string) =>
  summarise(listedDeploymentSchema.parse(answered(index, { name })))

describe('CSV', () => {
  it('quotes what needs it, and keeps texts that a spreadsheet would run as texts', () => {
    const writer = formatWriter('csv', 'service')
    const lines = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', 'a,"b"\nc', 'a\nb', 'plain'].map(
      (name, index) => writer.rows([named(index, name)], index === 0),
    )
    expect(lines.map((line) => line.slice(0, line.indexOf(',00000000-')))).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      `"'\t'=1"`,
      `"'\r'=1"`,
      "'＝1",
      '"a,""b""\nc"',
      '"a\nb"',
      'plain',
    ])
  })

  it('keeps a text a text for a spreadsheet that splits at semicolons or tabs, or takes off line breaks', () => {
    const writer = formatWriter('csv', 'service')
    const lines = ["x;=cmd|'/C calc'!A0;y", 'x\t=1+1\ty', '\n=1', 'a;b', 'a;-b'].map((name, index) =>
      writer.rows([named(index, name)], index === 0),
    )
    expect(lines.map((line) => line.slice(0, line.indexOf(',00000000-')))).toEqual([
      `"x;'=cmd|'/C calc'!A0;y"`,
      `"x\t'=1+1\ty"`,
      `"'\n'=1"`,
      '"a;b"',
      `"a;'-b"`,
    ])
  })

  it('begins with a byte order mark and the columns, and has an empty field for what is unknown', () => {
    const writer = formatWriter('csv', 'cache')
    expect(writer.begin).toMatch(/^\ufeffname,id,status,source,.*,fetched_at,gone_at\r\n$/)
    const cached = { ...named(1, 'a'), deployment_type: 'prod', fetched_at: '2026-01-01', gone_at: null }
    expect(writer.rows([cached], true)).toMatch(/^a,.*,prod,2026-01-01,\r\n$/)
  })
})

describe('JSON', () => {
  it('is one list, however many pieces it is written in', () => {
    const writer = formatWriter('json', 'service')
    const rows = [named(1, 'a'), named(2, '"\u2028\ud800'), named(3, '=1')]
    expect(JSON.parse(writer.begin + writer.end)).toEqual([])
    const text =
      writer.begin + writer.rows(rows.slice(0, 1), true) + writer.rows(rows.slice(1), false) + writer.end
    expect(JSON.parse(text)).toEqual(rows)
  })
})
