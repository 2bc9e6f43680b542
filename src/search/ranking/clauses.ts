/** More than popularity can add, as far as anything is that popular. */
export const popularityMax = 7;

/** 3·log10(1 + popularity): 0 to about 6.5 points, less than the distance between tiers that differ in kind. */
export const popularityFunction = {
  field_value_factor: { field: 'search.popularity', modifier: 'log1p', missing: 0 },
  weight: 3,
} as const;
