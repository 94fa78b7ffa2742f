/** Whether the next screen's heading takes the focus: after every navigation but the first. */
export const headingFocus = { wanted: false }
