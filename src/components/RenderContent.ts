import type { FunctionalComponent, VNodeChild } from 'vue'

/** Renders what a column's `render` gave: text, an element or a list of them. */
const RenderContent: FunctionalComponent<{ content: unknown }> = ({ content }) => content as VNodeChild

RenderContent.props = ['content']

export default RenderContent
