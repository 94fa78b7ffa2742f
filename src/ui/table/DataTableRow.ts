import { defineComponent, h, type PropType, type VNode } from 'vue'
import type { TableColumn } from './table'

/**
 * A row of a DataTable. A separate component, so that scrolling draws only rows that come into view. It has a render
 * function, because a component for each cell would be most of a row's cost.
 */
export default defineComponent({
  name: 'DataTableRow',
  props: {
    /** Undefined while the row is being read. */
    row: { type: Object as PropType<object>, default: undefined },
    columns: { type: Array as PropType<readonly TableColumn<object>[]>, required: true },
    /** Whether it is selected; null in a table whose rows can't be. */
    selected: { type: Boolean as PropType<boolean | null>, default: null },
    /** The name of its checkbox. */
    checkLabel: { type: String, default: '' },
  },
  setup: (props) => () =>
    h(
      'tr',
      {
        role: 'row',
        'aria-busy': props.row ? undefined : true,
        class: props.selected ? 'is-selected' : undefined,
      },
      [
        props.selected === null ? null : checkCell(props.row, props.selected, props.checkLabel),
        ...props.columns.map((column) => cell(props.row, column)),
      ],
    ),
})

/** Tab skips the checkbox, because Space on the row's link does the same. */
const checkCell = (row: object | undefined, checked: boolean, label: string): VNode =>
  h('td', { key: ' check', class: 'table-check-cell', role: 'cell' }, [
    row &&
      h('input', {
        class: 'table-check v--2px cursor-pointer',
        type: 'checkbox',
        tabindex: -1,
        checked,
        'aria-label': label,
        'aria-keyshortcuts': 'Space',
      }),
  ])

function cell(row: object | undefined, { key, rowHeader, render }: TableColumn<object>): VNode {
  return h(
    rowHeader ? 'th' : 'td',
    {
      key,
      scope: rowHeader ? 'row' : undefined,
      role: rowHeader ? 'rowheader' : 'cell',
    },
    row
      ? [render(row)]
      : [
          rowHeader ? h('span', { class: 'visually-hidden' }, 'Reading…') : null,
          h('span', {
            class: 'block w-60% h-8px rounded-small bg-sunken forced:bg-GrayText',
            'aria-hidden': 'true',
          }),
        ],
  )
}
