/** Whether the heading of the next screen should take the focus: after every navigation but the first. */
export const headingFocus = { wanted: false }
