import { fail, failure, type Outcome, succeed } from '@contract'
import { comparisonLimits, type IgnoredField } from '@contract/app/personal'
import type { Personal } from '.'

/** The fields that comparisons ignore. Both functions also have the failures of `Personal`. */
export interface IgnoredFields {
  /** In the order they were added. */
  list: () => Promise<Outcome<IgnoredField[]>>
  /** Adds or removes a field. Gives all of them. Failure: `invalid-input` beyond the limit. */
  set: (field: IgnoredField, isIgnored: boolean) => Promise<Outcome<IgnoredField[]>>
}

export function createIgnoredFields(personal: Pick<Personal, 'content' | 'change'>): IgnoredFields {
  return {
    async list() {
      const content = await personal.content()
      return content.ok ? succeed(content.value.ignoredFields) : content
    },

    set: (field, isIgnored) =>
      personal.change((content) => {
        const others = content.ignoredFields.filter(({ key }) => key !== field.key)
        const ignoredFields = isIgnored ? [...others, field] : others
        if (ignoredFields.length > comparisonLimits.ignored) return fail(tooMany)
        return succeed({ content: { ...content, ignoredFields }, value: ignoredFields })
      }),
  }
}

const tooMany = failure('invalid-input', `${comparisonLimits.ignored} fields are ignored already.`, {
  advice: 'Stop ignoring some of them, then try again.',
})
