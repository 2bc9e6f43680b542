/** The id of the element that holds the state of the page, as JSON. */
export const pageStateId = 'page-state';
