#pragma once

#include <string_view>

namespace eigenveil::cited {

// Papers that more than one method rests on; the others stand in their descriptors. What every
// release rests on is in report/report_text.
inline constexpr std::string_view kAnalyzeGauss =
    "C. Dwork, K. Talwar, A. Thakurta, L. Zhang. Analyze Gauss: Optimal Bounds for "
    "Privacy-Preserving Principal Component Analysis. STOC 2014.";
inline constexpr std::string_view kAnalyticGauss =
    "B. Balle, Y.-X. Wang. Improving the Gaussian Mechanism for Differential Privacy: Analytical "
    "Calibration and Optimal Denoising. ICML 2018.";
inline constexpr std::string_view kNoiseNorm =
    "A. S. Bandeira, R. van Handel. Sharp nonasymptotic bounds on the norm of random matrices with "
    "independent entries. Annals of Probability 44(4), 2016.";
inline constexpr std::string_view kExponentialMechanism =
    "F. McSherry, K. Talwar. Mechanism Design via Differential Privacy. FOCS 2007.";
inline constexpr std::string_view kOrbits =
    "O. Mangoubi, Y. Wu, S. Kale, A. G. Thakurta, N. K. Vishnoi. Private Matrix Approximation and "
    "Geometry of Unitary Orbits. COLT 2022.";
inline constexpr std::string_view kSubspaces =
    "V. Singhal, T. Steinke. Privately Learning Subspaces. NeurIPS 2021.";
inline constexpr std::string_view kFriendlyCore =
    "E. Tsfadia, E. Cohen, H. Kaplan, Y. Mansour, U. Stemmer. FriendlyCore: Practical "
    "Differentially Private Aggregation. ICML 2022.";
inline constexpr std::string_view kSpikedCovariance =
    "T. T. Cai, D. Xia, M. Zha. Optimal Differentially Private PCA and Estimation for Spiked "
    "Covariance Matrices. 2024.";

}  // namespace eigenveil::cited
