// Package classify has the building blocks of text classifiers: a tokenizer for posts (links,
// mentions, hashtags, emoji, emoticons, elongated words), hashed features of tokens, tables of
// weights, logistic regression, and calibration.
//
// Its one idea: a feature is a hash of the token's letters, so there is no vocabulary to build,
// store or keep in step. A model is a table indexed by that hash. What the classes mean, and which
// data trains them, is up to the packages that use it.
package classify
