import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ValueView from '@/components/deployment/ValueView.vue'
import { specMembers } from '@domain/labels/resource-spec-labels'

const terms = (value: unknown, labels?: ReturnType<typeof specMembers>) =>
  mount(ValueView, { props: { value, labels } })
    .findAll('dt')
    .map((term) => term.text())

const variables = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', my_key: 'a' } } }]

it('labels members with the given function, at any depth', () => {
  expect(terms(variables, specMembers(['sidecars', 'env']))).toEqual([
    'Name',
    'Value source',
    'secretKeyRef',
    'name',
    'my_key',
  ])
})

it('labels members by their names', () => {
  expect(terms(variables)).toEqual(['name', 'valueFrom', 'secretKeyRef', 'name', 'my_key'])
})
