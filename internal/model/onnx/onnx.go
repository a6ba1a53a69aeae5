// Package onnx runs classifiers that operators supply as ONNX files: text classifiers, with their
// tokenizer, and image classifiers. It needs only the files.
//
// A model is read once, validated, and compiled to a list of steps. Each step is an operator on
// tensors of float32 or int64. The supported operators are those used by exports of BERT-like text
// classifiers and convolutional image classifiers, including quantized ones. A model that needs
// another operator is rejected when it is opened, with an error that names the operator.
//
// Model files are untrusted: their use of memory and computation is limited, and any defect is
// reported as an error. docs/decisions/0036-onnx.md explains why Earshot runs models itself.
package onnx

const (
	// maxFile is the maximum size of a model file. The ONNX format is limited to 2 GB.
	maxFile = 2 << 30

	// maxWeights is the maximum number of elements of a tensor in a file. The word embeddings for a
	// hundred languages have 192 million.
	maxWeights = 512 << 20

	// maxElements is the maximum number of elements of a tensor in a run, and of all tensors in a
	// run at the same time, excluding those of the file. It corresponds to 512 MB.
	maxElements = 128 << 20

	// maxWork is the maximum number of multiplications per run. A large BERT on 128 tokens takes 40
	// billion.
	maxWork = 100e9

	// workPerElement is the cost of an element of a result, in addition to its multiplications.
	workPerElement = 16

	// maxNodes is the maximum number of nodes of a model, and of inputs and outputs of a node. A
	// large BERT has a few thousand nodes.
	maxNodes = 100_000

	// maxDims is the maximum number of dimensions of a tensor.
	maxDims = 8
)

// limits are the limits of a run.
type limits struct {
	elements int     // allocated at the same time
	work     float64 // multiplications
}

// defaultLimits are the limits for operators' models.
var defaultLimits = limits{elements: maxElements, work: maxWork}
