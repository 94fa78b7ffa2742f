import { defineComponent, h, type PropType, type VNode, type VNodeChild } from 'vue'
import type { TableColumn } from './table-columns'

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
    /** Whether it is in a long list, whose elements aren't in a table layout and have no implicit roles. */
    long: Boolean,
    /** Whether it is selected; null in a table whose rows can't be. */
    selected: { type: Boolean as PropType<boolean | null>, default: null },
    /** The name of its checkbox. */
    checkLabel: { type: String, default: '' },
  },
  setup: (props) => () =>
    h(
      'tr',
      { 'aria-busy': props.row ? undefined : true, class: props.selected ? 'is-selected' : undefined },
      [
        props.selected === null ? null : checkCell(props),
        ...props.columns.map((column) => cell(props.row, column, props.long)),
      ],
    ),
})

/** Tab skips the checkbox, because Space on the row's link does the same. */
function checkCell(props: {
  row?: object
  long: boolean
  selected: boolean | null
  checkLabel: string
}): VNode {
  const box = h('input', {
    class: 'table-check',
    type: 'checkbox',
    tabindex: -1,
    checked: props.selected,
    'aria-label': props.checkLabel,
    'aria-keyshortcuts': 'Space',
  })
  return h('td', { key: ' check', class: 'table-check-cell', role: props.long ? 'cell' : undefined }, [
    props.row ? box : null,
  ])
}

function cell(row: object | undefined, column: TableColumn<object>, long: boolean): VNode {
  return h(
    column.rowHeader ? 'th' : 'td',
    {
      key: column.key,
      scope: column.rowHeader ? 'row' : undefined,
      role: long ? (column.rowHeader ? 'rowheader' : 'cell') : undefined,
      class: column.align === 'right' ? 'is-right' : undefined,
    },
    [row ? content(row, column) : waiting(column)],
  )
}

function content(row: object, { key, render }: TableColumn<object>): VNodeChild {
  return render ? render(row) : ((row as Record<string, VNodeChild>)[key] ?? null)
}

function waiting({ rowHeader }: TableColumn<object>): VNodeChild {
  return [
    rowHeader ? h('span', { class: 'visually-hidden' }, 'Reading…') : null,
    h('span', { class: 'table-waiting', 'aria-hidden': 'true' }),
  ]
}
