import { type FunctionalComponent, h } from 'vue'
import UntrustedText from './UntrustedText'

/** An identifier after its nickname: "nickname (ID)". Without a nickname, only the identifier. */
const NicknamedId: FunctionalComponent<{ id: string; nickname: string | null }> = ({ id, nickname }) => {
  const text = h('span', { class: 'mono' }, [h(UntrustedText, { text: id })])
  return nickname === null ? text : h('span', [h(UntrustedText, { text: nickname }), ' (', text, ')'])
}

NicknamedId.props = { id: { type: String, required: true }, nickname: String }

export default NicknamedId
