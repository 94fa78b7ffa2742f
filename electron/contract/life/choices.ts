/** An integration or a listener that a service lists. A listener has no name, but the identifier of its cluster. */
export interface Choice {
  id: string
  name: string | null
  namespaces: string[]
}

/** What the form can offer, as a service lists it: nothing where it has no such list. */
export interface FormChoices {
  integrations: Choice[]
  listeners: Choice[]
}
