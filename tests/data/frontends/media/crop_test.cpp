// From pixels to the numbers of a network, with weights computed by hand.
#include "data/frontends/media/crop.hpp"

#include "support/data_files.hpp"
#include "support/media_files.hpp"

namespace fearnet {
namespace {

using Part = ImagePart;
using test::expect_error;

constexpr float kRounding = 1e-5f;

std::vector<float> tensor(const Image& image, const ImageInput& input, ImagePart part = ImagePart::center) {
    std::vector<float> out(3 * input.width * input.height, -1);
    image_tensor(image, input, part, out.data());
    return out;
}
ImageInput square(std::size_t side, std::size_t short_side) {
    return {.width = side, .height = side, .short_side = short_side, .deviation = {1, 1, 1}};
}
// Red is the column, green the row.
Image places(std::size_t width, std::size_t height) {
    return test::picture(width, height, [](std::size_t x, std::size_t y) {
        return std::array<int, 3>{static_cast<int>(x), static_cast<int>(y), 7};
    });
}

TEST(Crop, a_picture_of_the_right_size_keeps_its_values) {
    const std::vector<float> t = tensor(places(4, 4), square(4, 4));
    for (std::size_t y = 0; y < 4; ++y)
        for (std::size_t x = 0; x < 4; ++x) {
            EXPECT_NEAR(t[4 * y + x], static_cast<double>(x), kRounding);
            EXPECT_NEAR(t[16 + 4 * y + x], static_cast<double>(y), kRounding);
            EXPECT_NEAR(t[32 + 4 * y + x], 7, kRounding);
        }
}

TEST(Crop, mean_deviation_channel_order_and_layout_are_those_of_the_input) {
    const Image image = test::picture(2, 2, [](std::size_t, std::size_t) {
        return std::array<int, 3>{10, 20, 30};
    });
    ImageInput input = square(2, 2);
    input.mean = {1, 2, 3};
    input.deviation = {2, 4, 8};
    // (10 - 1) / 2, (20 - 2) / 4, (30 - 3) / 8
    EXPECT_EQ(tensor(image, input),
              (std::vector<float>{4.5, 4.5, 4.5, 4.5, 4.5, 4.5, 4.5, 4.5, 3.375, 3.375, 3.375, 3.375}));
    input.channels_first = false;
    EXPECT_EQ(tensor(image, input),
              (std::vector<float>{4.5, 4.5, 3.375, 4.5, 4.5, 3.375, 4.5, 4.5, 3.375, 4.5, 4.5, 3.375}));
    input.bgr = true;
    // Blue is the first channel, with the first mean: (30 - 1) / 2, (20 - 2) / 4, (10 - 3) / 8.
    EXPECT_EQ(tensor(image, input),
              (std::vector<float>{14.5, 4.5, 0.875, 14.5, 4.5, 0.875, 14.5, 4.5, 0.875, 14.5, 4.5, 0.875}));
}

TEST(Crop, halving_a_picture_weights_four_pixels_as_a_triangle_does) {
    // Output i has its center at 2 i + 1; pixel k + 0.5 has the weight 1 - |distance| / 2, divided by their
    // sum: 1/8, 3/8, 3/8, 1/8 inside, and 3/7, 3/7, 1/7 at the edge.
    const double inside[] = {1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8}, edge[] = {3.0 / 7, 3.0 / 7, 1.0 / 7};
    for (std::size_t lit = 0; lit < 8; ++lit) {
        const Image image = test::picture(8, 8, [&](std::size_t x, std::size_t) {
            return std::array<int, 3>{x == lit ? 255 : 0, 0, 0};
        });
        const std::vector<float> t = tensor(image, square(4, 4));
        for (std::size_t i = 0; i < 4; ++i) {
            double weight = 0;
            if (i == 0)
                weight = lit < 3 ? edge[lit] : 0;
            else if (i == 3)
                weight = lit > 4 ? edge[7 - lit] : 0;
            else if (lit + 1 >= 2 * i && lit + 1 < 2 * i + 4)
                weight = inside[lit + 1 - 2 * i];
            for (std::size_t y = 0; y < 4; ++y)
                EXPECT_NEAR(t[4 * y + i], 255 * weight, 1e-3) << lit << ' ' << i;
        }
    }
}

TEST(Crop, doubling_a_picture_is_linear_between_pixels) {
    // Output centers at 0.25, 0.75, 1.25, 1.75 of pixels with centers 0.5 and 1.5, and constant outside.
    const Image image = test::picture(2, 2, [](std::size_t x, std::size_t) {
        return std::array<int, 3>{x == 0 ? 0 : 100, 0, 0};
    });
    const std::vector<float> t = tensor(image, square(4, 4));
    const double expected[] = {0, 25, 75, 100};
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(t[i], expected[i % 4], 1e-3);
}

TEST(Crop, an_odd_margin_leaves_the_even_half_before_the_crop) {
    // As Python's round: 0.5 to 0, 1.5 to 2, 2.5 to 2, 3.5 to 4.
    for (const auto& [margin, before] :
         {std::pair(0, 0), {1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 2}, {7, 4}, {9, 4}}) {
        const Image wide = places(8 + static_cast<std::size_t>(margin), 8),
                    tall = places(8, 8 + static_cast<std::size_t>(margin));
        EXPECT_NEAR(tensor(wide, square(8, 8))[0], before, kRounding) << margin;
        EXPECT_NEAR(tensor(tall, square(8, 8))[64], before, kRounding) << margin;
    }
}

TEST(Crop, the_longer_side_is_scaled_to_whole_pixels_rounded_down) {
    // 15 x 10 at a short side of 5: 7.5 becomes 7. A crop of 5 leaves a margin of 2, one before.
    const Image image = places(15, 10);
    const std::vector<float> t = tensor(image, square(5, 5));
    // Column 2 of 7 has its center at 2.5 * 15 / 7 = 75 / 14. The weights of the columns 3 to 6 are 2, 9, 14
    // and 7 of 32.
    EXPECT_NEAR(t[1], (3 * 2 + 4 * 9 + 5 * 14 + 6 * 7) / 32.0, 1e-4);
    // Column 3 has the middle of the picture as its center.
    EXPECT_NEAR(t[2], 7, 1e-4);
}

TEST(Crop, corners_show_their_part) {
    const Image image = places(12, 8);
    const auto corner = [&](Part part) {
        const std::vector<float> t = tensor(image, square(6, 8), part);
        return std::array<float, 4>{t[0], t[5], t[36], t[36 + 30]};  // columns first, last; rows first, last
    };
    const auto near = [](const std::array<float, 4>& is, const std::array<float, 4>& wanted) {
        for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(is[i], wanted[i], kRounding) << i;
    };
    near(corner(Part::center), {3, 8, 1, 6});
    near(corner(Part::top_left), {0, 5, 0, 5});
    near(corner(Part::top_right), {6, 11, 0, 5});
    near(corner(Part::bottom_left), {0, 5, 2, 7});
    near(corner(Part::bottom_right), {6, 11, 2, 7});
}

TEST(Crop, pictures_of_one_pixel_and_of_extreme_shapes_are_constant_where_they_are) {
    for (const auto& [width, height] : {std::pair<std::size_t, std::size_t>(1, 1), {1, 5000}, {5000, 1}}) {
        const Image image = test::picture(width, height, [](std::size_t, std::size_t) {
            return std::array<int, 3>{9, 9, 9};
        });
        for (const Part part : {Part::center, Part::bottom_right, Part::top_left})
            for (const float value : tensor(image, square(8, 9), part)) EXPECT_NEAR(value, 9, 1e-4);
    }
}

TEST(Crop, what_cannot_be_cropped_is_refused) {
    const Image image = places(8, 8);
    std::vector<float> out(3 * 100);
    expect_error([&] { image_tensor(image, square(5, 4), Part::center, out.data()); },
                 {"5 x 5", "short side of 4"});
    expect_error([&] { image_tensor(image, square(0, 4), Part::center, out.data()); }, {"0 x 0"});
    expect_error([&] { image_tensor(Image{}, square(4, 4), Part::center, out.data()); }, {"0 x 0 pixels"});
    Image torn = image;
    torn.rgb.pop_back();
    expect_error([&] { image_tensor(torn, square(4, 4), Part::center, out.data()); },
                 {"191 values", "3 values per pixel"});
}

}  // namespace
}  // namespace fearnet
