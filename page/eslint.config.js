import tseslint from 'typescript-eslint';

export default tseslint.config(...tseslint.configs.recommended, {
  rules: {
    'no-restricted-properties': [
      'error',
      ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write'].map((property) => ({
        property,
        message: 'names from files are hostile: textContent only',
      })),
    ],
  },
});
