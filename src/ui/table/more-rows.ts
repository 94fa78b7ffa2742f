/** How many rows are drawn at first, and how many more each press of the button draws. */
export const moreRows = 50
