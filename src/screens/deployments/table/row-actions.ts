import type { DeploymentSummary } from '@contract'
import { appLinkTo } from '@contract/core/app-link'
import { shownText } from '@contract/core/text'
import type { MenuItem } from '@/components/display/menu-item'
import { type CopiedMember, wholeText, wholeTexts } from '@/domain/list/copied-texts'
import { counted } from '@/format/count'
import { statusLook } from '@/format/deployment/status'

/** The actions for rows of the list. */
export type RowAction =
  | { kind: 'open' | 'panel' | 'watch' | 'clone' | 'clone-to' | 'compare' | 'clear' }
  | { kind: 'copy'; texts: string[]; done: string }
  | { kind: 'filter'; by: 'status' | 'imageVersion'; value: string }
  | { kind: 'hide'; status: string }

export type RowMenuItem = MenuItem & { action: RowAction }

const nouns: Record<CopiedMember, readonly [one: string, several: string]> = {
  name: ['name', 'names'],
  id: ['ID', 'IDs'],
  image_uri: ['image', 'images'],
  repo_url: ['repository', 'repositories'],
}
const members = Object.keys(nouns) as CopiedMember[]

/** The longest value in an item, in characters. */
const max = 40

const item = (label: string, action: RowAction, isSeparated = false): RowMenuItem => ({
  key: label,
  label,
  action,
  isSeparated,
})

/**
 * The menu of a row, or of several selected ones. Leaves out actions that don't apply to several rows, and those for
 * which a row has no value.
 *
 * @param may whether something can be created in the environment, and in another one
 * @param hasPanel whether there is room for a panel beside the list
 * @param environment the environment's name, for the link to a deployment
 */
export function rowMenu(
  rows: readonly DeploymentSummary[],
  may: { create: boolean; createElsewhere: boolean },
  hasPanel: boolean,
  environment: string,
): RowMenuItem[] {
  const [row] = rows
  if (!row) return []
  if (rows.length > 1) {
    const copies = members.flatMap((member) => {
      const texts = wholeTexts(rows, member)
      const what = counted(texts.length, ...nouns[member])
      return texts.length === 0 ? [] : item(`Copy ${what}`, { kind: 'copy', texts, done: `Copied ${what}` })
    })
    const compare = rows.length === 2 ? [item('Compare', { kind: 'compare' })] : []
    return [...compare, ...copies, item('Clear selection', { kind: 'clear' }, true)]
  }
  const copies = members.flatMap((member) => {
    const text = wholeText(row, member)
    if (text === null) return []
    const what = nouns[member][0]
    return item(`Copy ${what}`, { kind: 'copy', texts: [text], done: `Copied ${what}` }, member === 'name')
  })
  const link = appLinkTo(environment, row.id)
  const { label } = statusLook(row.status)
  const filters = [
    item(`Filter by status ${shownText(label, { max })}`, filterBy('status', row.status), true),
    item(`Hide status ${shownText(label, { max })}`, { kind: 'hide', status: row.status }),
    ...(row.image_version
      ? [
          item(
            `Filter by image version ${shownText(row.image_version, { max })}`,
            filterBy('imageVersion', row.image_version),
          ),
        ]
      : []),
  ]
  return [
    item('Open', { kind: 'open' }),
    ...(hasPanel ? [item('Show in panel', { kind: 'panel' })] : []),
    item('Watch', { kind: 'watch' }),
    ...(may.create ? [item('Clone', { kind: 'clone' })] : []),
    ...(may.createElsewhere ? [item('Clone to…', { kind: 'clone-to' })] : []),
    item('Compare with…', { kind: 'compare' }),
    ...copies,
    ...(link === null ? [] : [item('Copy link', { kind: 'copy', texts: [link], done: 'Copied link' })]),
    ...filters,
  ]
}

const filterBy = (by: 'status' | 'imageVersion', value: string): RowAction => ({ kind: 'filter', by, value })
