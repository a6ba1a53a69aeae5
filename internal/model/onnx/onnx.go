// Package onnx runs classifiers that users bring as ONNX files: of texts, with
// their tokenizer, and of images. It needs nothing but the files.
//
// A model is read once, checked, and turned into a list of steps; each step is an
// operator on tensors of float32 or int64. The operators are those that exports of
// BERT-like text classifiers and of convolutional image classifiers use, quantised
// ones included; a model that needs another is refused when it is opened, by name.
//
// A model file is not trusted: what it may take of memory and of work is bounded,
// and whatever is wrong with it comes back as an error.
// Why we run models ourselves: docs/decisions/0036-onnx.md.
package onnx

const (
	// maxFile is the size of the largest file that is read; ONNX files end at 2 GB.
	maxFile = 2 << 30

	// maxWeights is how many numbers a tensor of a file may have: the words of a
	// hundred languages take 192 million.
	maxWeights = 512 << 20

	// maxElements is how many numbers a tensor of a run may have, and all of them at a
	// time, next to those of the file: 512 MB.
	maxElements = 128 << 20

	// maxWork is how many multiplications a run may take: a large BERT on 128 tokens
	// takes 40 thousand million.
	maxWork = 100e9

	// workPerElement is what a number of a result costs besides its multiplications.
	workPerElement = 16

	// maxNodes is how many nodes a model may have, and a node inputs and outputs. A
	// large BERT has a few thousand.
	maxNodes = 100_000

	// maxDims is how many dimensions a tensor may have.
	maxDims = 8
)

// limits are the limits of a run.
type limits struct {
	elements int     // held at a time
	work     float64 // in multiplications
}

// defaultLimits are the limits of users' models.
var defaultLimits = limits{elements: maxElements, work: maxWork}
