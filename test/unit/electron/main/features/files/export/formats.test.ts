import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { summarise } from '@contract'
import { csvSeparators } from '@contract/cache'
import { listedDeploymentSchema } from '../../../../../../../electron/contract/deployment-api/deployment'
import { formatWriter } from '../../../../../../../electron/main/features/files/export/formats'
import { answered } from '../../../../../../support/builders/cached-deployments'

const named = (index: number, name: string) =>
  summarise(listedDeploymentSchema.parse(answered(index, { name })))

/**
 * Reads CSV as Python and spreadsheets do: quotes count where they begin a cell, and what follows the closing one is
 * taken.
 */
function lenientCells(csv: string, delimiter: string): string[] {
  const cells: string[] = []
  let cell = ''
  let state: 'begin' | 'plain' | 'quoted' | 'closing' = 'begin'
  for (const character of csv) {
    if (state === 'quoted') {
      if (character === '"') state = 'closing'
      else cell += character
    } else if (state === 'begin' && character === '"') state = 'quoted'
    else if (state === 'closing' && character === '"') {
      cell += character
      state = 'quoted'
    } else if (character === delimiter || character === '\r' || character === '\n') {
      cells.push(cell)
      cell = ''
      state = 'begin'
    } else {
      cell += character
      state = 'plain'
    }
  }
  return [...cells, cell]
}

const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\u2212\uFF0B\uFF0D\uFF1D\uFF20]/u

const hostileText = fc.array(
  fc.oneof(
    fc.constantFrom(...'=+-@;,|\t\r\n" \u00a0\u3000\u200b\u2212\uFF1D\'a1'),
    fc.constantFrom(';"=1', '\t"=1+1"\t', '\r\n', '""', '","', ';;', '; "-'),
  ),
  { maxLength: 12 },
)

describe('CSV', () => {
  it.each(csvSeparators)(
    'has no formula in any cell, whatever separator a spreadsheet uses: %j',
    (separator) => {
      fc.assert(
        fc.property(fc.array(fc.tuple(hostileText, hostileText), { maxLength: 3 }), (pieces) => {
          const rows = pieces.map(([name, ref], index) => ({
            ...named(index, name.join('')),
            name: name.join(''),
            repo_ref: ref.join(''),
          }))
          const writer = formatWriter('csv', 'service', separator)
          const csv = writer.begin + writer.rows(rows, true) + writer.end
          for (const delimiter of [',', ';', '\t', '|'])
            expect(lenientCells(csv, delimiter).filter((cell) => formula.test(cell))).toEqual([])

          // Only apostrophes are added.
          const cells = lenientCells(csv, separator)
          const texts = rows.flatMap(({ name, repo_ref }) => [name, repo_ref])
          const plain = cells.map((cell) => cell.replaceAll("'", ''))
          for (const text of texts) expect(plain).toContain(text.replaceAll("'", ''))

          const json = formatWriter('json', 'service', ',')
          expect(JSON.parse(json.begin + json.rows(rows, true) + json.end)).toEqual(rows)
        }),
      )
    },
  )

  it('quotes what needs quotes, and keeps texts that a spreadsheet would run as texts', () => {
    const writer = formatWriter('csv', 'service', ',')
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

  it.each(csvSeparators)(
    'has the columns that a spreadsheet with this separator expects: %j',
    (separator) => {
      const writer = formatWriter('csv', 'service', separator)
      const texts = ['a;b,c\td', 'plain', ' blanks ', '"quoted"', 'two\nlines', 'Kolsås · 東京']
      const rows = texts.map((name, index) => writer.rows([named(index, name)], index === 0)).join('')
      const cells = lenientCells((writer.begin + rows).replaceAll('\r\n', '\n').slice(1), separator)
      const width = writer.begin.split(separator).length
      expect(cells.slice(0, width).slice(0, 3)).toEqual(['name', 'id', 'status'])
      expect(texts.map((_text, row) => cells[(row + 1) * width])).toEqual(texts)
    },
  )

  it('begins with a byte order mark and the columns, and has an empty field for what is unknown', () => {
    const writer = formatWriter('csv', 'cache', ',')
    expect(writer.begin).toMatch(/^\ufeffname,id,status,source,.*,fetched_at,gone_at\r\n$/)
    const cached = { ...named(1, 'a'), deployment_type: 'prod', fetched_at: '2026-01-01', gone_at: null }
    expect(writer.rows([cached], true)).toMatch(/^a,.*,prod,2026-01-01,\r\n$/)
  })
})

describe('JSON', () => {
  it('is one list, however many pieces it is written in', () => {
    const writer = formatWriter('json', 'service', ',')
    const rows = [named(1, 'a'), named(2, '"\u2028\ud800'), named(3, '=1')]
    expect(JSON.parse(writer.begin + writer.end)).toEqual([])
    const text =
      writer.begin + writer.rows(rows.slice(0, 1), true) + writer.rows(rows.slice(1), false) + writer.end
    expect(JSON.parse(text)).toEqual(rows)
  })
})
