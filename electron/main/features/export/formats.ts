import type { DeploymentSummary } from '@contract'
import type { CachedSummary, CsvSeparator, ExportFormat } from '@contract/cache'
import { stringify } from 'csv-stringify/sync'

/** Writes deployments as text that is appended piece by piece. */
export interface FormatWriter {
  begin: string
  /** The text of some deployments; `isFirst` if none were written before. */
  rows: (deployments: readonly (DeploymentSummary | CachedSummary)[], isFirst: boolean) => string
  end: string
}

const serviceColumns = [
  'name',
  'id',
  'status',
  'source',
  'repo_url',
  'repo_ref',
  'image_uri',
  'source_tarball_path',
  'integration_id',
  'latest_revision_id',
  'active_revision_id',
  'image_version',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof DeploymentSummary)[]

/** What only the cache knows about a deployment. */
const cacheColumns = ['deployment_type', 'fetched_at', 'gone_at'] as const satisfies readonly Exclude<
  keyof CachedSummary,
  keyof DeploymentSummary
>[]

/** The writer of a format; columns and members have the interface's names. `separator` is that of CSV. */
export function formatWriter(
  format: ExportFormat,
  from: 'service' | 'cache',
  separator: CsvSeparator,
): FormatWriter {
  const columns = from === 'cache' ? [...serviceColumns, ...cacheColumns] : serviceColumns
  return format === 'csv' ? csvWriter(columns, separator) : jsonWriter(columns)
}

/** What readers of CSV take for the end of a cell, beside the line breaks. */
const cellEnds = ',;|\t'

/**
 * Puts an apostrophe before each sign that may begin a cell as a formula, and before characters that some spreadsheets
 * strip first. A spreadsheet begins a cell after what its language uses as a separator, removes quotes there, and may
 * remove blanks (https://owasp.org/www-community/attacks/CSV_Injection). A text with the file's own separator is quoted
 * and stays one cell.
 */
function defuser(separator: CsvSeparator): { isCut: RegExp; withoutFormulas: (text: string) => string } {
  const ends = cellEnds.replace(separator, '')
  const isCut = new RegExp(`[${ends}\r\n]`)
  const between = String.raw`[${ends}"\s\p{Cc}\p{Cf}]`
  // Matched from its first character only, so that a long text takes linear time.
  const beforeSign = new RegExp(
    String.raw`(?<!${between})${between}*(?=[=+\-@\u2212\uFF0B\uFF0D\uFF1D\uFF20])`,
    'gu',
  )
  return {
    isCut,
    withoutFormulas: (text) =>
      text
        .replace(beforeSign, (before: string, at: number) =>
          at === 0 || isCut.test(before) ? `${before}'` : before,
        )
        .replace(/^(?=[\t\r\n])/, "'"),
  }
}

/**
 * CSV as in RFC 4180, with a byte order mark, without which Excel doesn't read it as UTF-8. An apostrophe before what a
 * spreadsheet would run as a formula keeps it a text.
 */
function csvWriter(columns: readonly string[], separator: CsvSeparator): FormatWriter {
  const { isCut, withoutFormulas } = defuser(separator)
  const options = {
    delimiter: separator,
    cast: { string: withoutFormulas },
    // Some readers of CSV end a record at any kind of line break, and some split at other separators.
    quoted_match: isCut,
    record_delimiter: 'windows' as const,
  }
  return {
    begin: `\ufeff${stringify([columns], options)}`,
    rows: (deployments) => stringify([...deployments], { ...options, columns: [...columns] }),
    end: '',
  }
}

/** A JSON array with one object per line. */
function jsonWriter(columns: readonly string[]): FormatWriter {
  return {
    begin: '[',
    rows: (deployments, isFirst) =>
      deployments
        .map(
          (deployment, at) =>
            `${isFirst && at === 0 ? '' : ','}\n${JSON.stringify(deployment, [...columns])}`,
        )
        .join(''),
    end: '\n]\n',
  }
}
