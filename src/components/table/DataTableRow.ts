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
    /** Whether it is in a long list, whose boxes aren't a table's and have no implicit roles. */
    long: Boolean,
  },
  setup: (props) => () =>
    h(
      'tr',
      { 'aria-busy': props.row ? undefined : true },
      props.columns.map((column) => cell(props.row, column, props.long)),
    ),
})

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
