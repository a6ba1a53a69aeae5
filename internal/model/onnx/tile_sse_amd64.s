#include "textflag.h"

// multiply adds the products of an element of a row and 8 elements of the panel, in X8 and X9, to
// the sums of the row.
#define multiply(ROW, A, B) \
	MOVSS (ROW)(AX*4), X10 \
	SHUFPS $0, X10, X10    \
	MOVAPS X10, X11        \
	MULPS X8, X10          \
	MULPS X9, X11          \
	ADDPS X10, A           \
	ADDPS X11, B

// finish adds the bias at an offset of the ending to two registers and multiplies their negative
// elements by the slope in X15. The slope is at most 1, so the result is the larger one.
#define finish(offset, A, B) \
	MOVSS offset(R11), X10 \
	SHUFPS $0, X10, X10    \
	ADDPS X10, A           \
	ADDPS X10, B           \
	MOVAPS A, X8           \
	MOVAPS B, X9           \
	MULPS X15, X8          \
	MULPS X15, X9          \
	MAXPS X8, A            \
	MAXPS X9, B

// func halfSSE(dst *float32, stride int, a, panel *float32, step, k int, end *ending)
//
// X0 to X7 hold the sums, two registers per row. Each iteration multiplies one element of each
// row by 8 elements of the panel.
TEXT ·halfSSE(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DI
	MOVQ stride+8(FP), DX
	MOVQ a+16(FP), SI
	MOVQ panel+24(FP), BX
	MOVQ step+32(FP), R12
	MOVQ k+40(FP), CX
	MOVQ end+48(FP), R11
	SHLQ $2, DX             // stride of dst in bytes
	SHLQ $2, R12            // stride of the panel in bytes
	LEAQ (SI)(CX*4), R8     // the rows of a
	LEAQ (R8)(CX*4), R9
	LEAQ (R9)(CX*4), R10
	XORPS X0, X0
	XORPS X1, X1
	XORPS X2, X2
	XORPS X3, X3
	XORPS X4, X4
	XORPS X5, X5
	XORPS X6, X6
	XORPS X7, X7
	XORQ AX, AX

turn:
	MOVUPS (BX), X8
	MOVUPS 16(BX), X9
	multiply(SI, X0, X1)
	multiply(R8, X2, X3)
	multiply(R9, X4, X5)
	multiply(R10, X6, X7)
	ADDQ R12, BX
	INCQ AX
	CMPQ AX, CX
	JLT turn

	TESTQ R11, R11
	JZ store
	MOVSS 16(R11), X15
	SHUFPS $0, X15, X15
	finish(0, X0, X1)
	finish(4, X2, X3)
	finish(8, X4, X5)
	finish(12, X6, X7)

store:
	MOVUPS X0, (DI)
	MOVUPS X1, 16(DI)
	ADDQ DX, DI
	MOVUPS X2, (DI)
	MOVUPS X3, 16(DI)
	ADDQ DX, DI
	MOVUPS X4, (DI)
	MOVUPS X5, 16(DI)
	ADDQ DX, DI
	MOVUPS X6, (DI)
	MOVUPS X7, 16(DI)
	XORPS X15, X15          // zero in the calling convention of Go
	RET

// func maxSSE(dst, src *float32, n int)
TEXT ·maxSSE(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	XORQ AX, AX

eight:
	MOVUPS (DI)(AX*4), X0
	MOVUPS 16(DI)(AX*4), X1
	MOVUPS (SI)(AX*4), X2
	MOVUPS 16(SI)(AX*4), X3
	MAXPS X2, X0
	MAXPS X3, X1
	MOVUPS X0, (DI)(AX*4)
	MOVUPS X1, 16(DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, CX
	JLT eight
	RET
