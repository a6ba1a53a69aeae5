package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// An operator computes the results of a step.
type operator func(*call) []*tensor

// one converts a function with one result to an operator.
func one(f func(*call) *tensor) operator {
	return func(c *call) []*tensor { return []*tensor{f(c)} }
}

// operators lists the supported operators, in every version that exporters still write.
var operators = map[string]operator{
	// Binary operators.
	"Add":            one(arithmetic(addRow[float32], addRow[int64])),
	"Sub":            one(arithmetic(subRow[float32], subRow[int64])),
	"Mul":            one(arithmetic(mulRow[float32], mulRow[int64])),
	"Div":            one(arithmetic(divFloatRow, divIntRow)),
	"Pow":            one(arithmetic(powRow[float32], powRow[int64])),
	"PRelu":          one(arithmetic(preluRow[float32], preluRow[int64])),
	"Mod":            one(arithmetic(modFloatRow, modIntRow)),
	"Min":            one(variadic(minRow[float32], minRow[int64])),
	"Max":            one(variadic(maxRow[float32], maxRow[int64])),
	"Sum":            one(variadic(addRow[float32], addRow[int64])),
	"Equal":          one(comparison(equalRow[float32], equalRow[int64])),
	"Less":           one(comparison(lessRow[float32], lessRow[int64])),
	"LessOrEqual":    one(comparison(lessOrEqualRow[float32], lessOrEqualRow[int64])),
	"Greater":        one(comparison(greaterRow[float32], greaterRow[int64])),
	"GreaterOrEqual": one(comparison(greaterOrEqualRow[float32], greaterOrEqualRow[int64])),
	"And":            one(logic(mulRow[int64])),
	"Or":             one(logic(maxRow[int64])),
	"Xor":            one(logic(notEqualRow)),
	"Where":          one(where),

	// Unary operators.
	"Abs":         one(unary(abs)),
	"Ceil":        one(unary(ceil)),
	"Clip":        one(clip),
	"Cos":         one(unary(cosine)),
	"Elu":         one(elu),
	"Erf":         one(unary(erf)),
	"Exp":         one(unary(exp)),
	"Floor":       one(unary(floor)),
	"Gelu":        one(gelu),
	"HardSigmoid": one(hardSigmoid),
	"HardSwish":   one(unary(hardSwish)),
	"IsNaN":       one(isNaN),
	"LeakyRelu":   one(leakyRelu),
	"Log":         one(unary(logarithm)),
	"Neg":         one(negate),
	"Not":         one(not),
	"Reciprocal":  one(unary(reciprocal)),
	"Relu":        one(unary(relu)),
	"Round":       one(unary(roundEven)),
	"Sigmoid":     one(unary(sigmoid)),
	"Sign":        one(unary(sign)),
	"Sin":         one(unary(sine)),
	"Softplus":    one(unary(softplus)),
	"Sqrt":        one(unary(sqrt)),
	"Tanh":        one(unary(tanh)),

	// Operators along axes.
	"ArgMax":             one(argMax),
	"CumSum":             one(cumSum),
	"LayerNormalization": one(layerNormalization),
	"LogSoftmax":         one(logSoftmax),
	"ReduceL2":           one(reduce(l2)),
	"ReduceMax":          one(reduce(maximum)),
	"ReduceMean":         one(reduce(mean)),
	"ReduceMin":          one(reduce(minimum)),
	"ReduceProd":         one(reduce(multiplyAll)),
	"ReduceSum":          one(reduce(sum)),
	"Softmax":            one(softmax),

	// Products.
	"BatchNormalization": one(batchNormalization),
	"Conv":               one(conv),
	"Gemm":               one(gemm),
	"MatMul":             one(matMul),

	// Windows.
	"AveragePool":       one(averagePool),
	"GlobalAveragePool": one(globalPool(mean)),
	"GlobalMaxPool":     one(globalPool(maximum)),
	"MaxPool":           one(maxPool),
	"Resize":            one(resize),

	// Quantized models.
	"DequantizeLinear":      one(dequantizeLinear),
	"DynamicQuantizeLinear": dynamicQuantizeLinear,
	"MatMulInteger":         one(matMulInteger),
	"ConvInteger":           one(convInteger),
	"QuantizeLinear":        one(quantizeLinear),

	// Shapes and indexes.
	"Cast":            one(cast),
	"Concat":          one(concat),
	"Constant":        one(constant),
	"ConstantOfShape": one(constantOfShape),
	"Dropout":         one(identity),
	"Expand":          one(expand),
	"Flatten":         one(flatten),
	"Gather":          one(gather),
	"GatherElements":  one(gatherElements),
	"Identity":        one(identity),
	"Pad":             one(pad),
	"Range":           one(rangeOf),
	"Reshape":         one(reshape),
	"Shape":           one(shapeOf),
	"Size":            one(sizeOf),
	"Slice":           one(slice),
	"Split":           split,
	"Squeeze":         one(squeeze),
	"Tile":            one(tile),
	"Transpose":       one(transpose),
	"Unsqueeze":       one(unsqueeze),
}

// checkOperators returns an error that lists all operators of a model that are not supported.
func checkOperators(nodes []node) error {
	var missing []string
	for _, n := range nodes {
		name := n.op
		if n.domain != "" && n.domain != "ai.onnx" {
			name = n.domain + "." + n.op
		}
		if _, ok := operators[name]; !ok {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	return fmt.Errorf("not supported: operator %s", strings.Join(missing, ", "))
}
