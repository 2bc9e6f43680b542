/** Id of the element in which a document carries what its page shows, as JSON. */
export const pageStateId = 'page-state';
