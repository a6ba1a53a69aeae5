// Package classify provides building blocks for text classifiers: a tokenizer for posts (links,
// mentions, hashtags, emoji, emoticons, elongated words), hashed features of tokens, tables of
// weights, logistic regression, and calibration.
//
// Its central idea: a feature is the hash of a token's normalized form, so there is no vocabulary
// to build, store or keep in sync. A model is a table indexed by that hash. The packages that use
// this one define the classes and the training data.
package classify
